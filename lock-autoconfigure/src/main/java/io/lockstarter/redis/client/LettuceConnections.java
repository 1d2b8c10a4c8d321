package io.lockstarter.redis.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;
import io.lockstarter.redis.script.LuaScript;
import org.jspecify.annotations.Nullable;

/**
 * Holder of one connection of the locks for commands.
 * <p>
 * Connecting blocks, so this step runs on an executor. From then on Lettuce itself
 * reconnects, to each node of a cluster separately and without blocking.
 * <p>
 * Safe for use by multiple threads.
 */
final class LettuceConnections {

	private final LettuceFactory factory;

	private final Executor connector;

	private final Consumer<LettuceConnection> onOpened;

	private final Runnable onDropped;

	private volatile @Nullable CompletableFuture<LettuceConnection> current;

	/**
	 * Creates a holder without opening a connection.
	 * @param connector runs tasks that block while they connect
	 * @param onOpened receives each connection before it is used
	 * @param onDropped is run when a connection was dropped for the next command to open
	 * another one
	 */
	LettuceConnections(LettuceFactory factory, Executor connector, Consumer<LettuceConnection> onOpened,
			Runnable onDropped) {
		this.factory = factory;
		this.connector = connector;
		this.onOpened = onOpened;
		this.onDropped = onDropped;
	}

	/** Creates a holder whose connections concern nothing else. */
	LettuceConnections(LettuceFactory factory, Executor connector) {
		this(factory, connector, (opened) -> {
		}, () -> {
		});
	}

	/** Returns a future of the connection, and opens the connection if necessary. */
	CompletableFuture<LettuceConnection> get() {
		CompletableFuture<LettuceConnection> known = this.current;
		return (known != null && isUsable(known)) ? known : begin();
	}

	/** Returns whether a connection is open or being opened, or Lettuce reconnects it. */
	private static boolean isUsable(CompletableFuture<LettuceConnection> known) {
		return !known.isCompletedExceptionally() && !(known.isDone()
				&& known.join().link() instanceof RedisChannelHandler<?, ?> handler && handler.isClosed());
	}

	/**
	 * Runs an action once a connection is open, after the actions of earlier calls. Until
	 * then, no connection is {@link #ready()}, so that nothing overtakes them. Opens the
	 * connection if necessary.
	 * @param action an action that neither throws nor blocks
	 */
	synchronized CompletableFuture<LettuceConnection> whenOpen(Consumer<LettuceConnection> action) {
		// A chain of any length completes without recursion.
		CompletableFuture<LettuceConnection> next = get().thenApply((opened) -> {
			action.accept(opened);
			return opened;
		});
		this.current = next;
		return next;
	}

	private synchronized CompletableFuture<LettuceConnection> begin() {
		CompletableFuture<LettuceConnection> begun = this.current;
		if (begun == null || !isUsable(begun)) {
			try {
				begun = CompletableFuture.supplyAsync(this::open, this.connector);
			}
			catch (RuntimeException | OutOfMemoryError ex) {
				begun = CompletableFuture.failedFuture(ex);
			}
			this.current = begun;
		}
		return begun;
	}

	private LettuceConnection open() {
		// The threads that send scripts later are event loops, which must not block.
		LuaScript.readAll();
		LettuceConnection opened = LettuceConnection.of(this.factory.connect());
		this.onOpened.accept(opened);
		return opened;
	}

	/** Returns the connection, or {@code null} if none is open. */
	@Nullable LettuceConnection ready() {
		CompletableFuture<LettuceConnection> known = this.current;
		return (known != null && known.isDone() && isUsable(known)) ? known.join() : null;
	}

	/** Returns whether a connection is still the current one. */
	boolean isCurrent(LettuceConnection connection) {
		LettuceConnection ready = ready();
		return ready != null && ready.link() == connection.link();
	}

	/** Returns Lettuce's connection, or {@code null} if none is open. */
	@Nullable StatefulConnection<byte[], byte[]> link() {
		LettuceConnection ready = ready();
		return (ready != null) ? ready.link() : null;
	}

	/** Drops a connection to a demoted master. */
	void drop() {
		reset();
		this.onDropped.run();
	}

	/** Closes the connection, so that the next command opens another one. */
	void reset() {
		CompletableFuture<LettuceConnection> closed = forget();
		if (closed != null) {
			closed.thenAccept((opened) -> opened.link().closeAsync());
		}
	}

	/**
	 * Forgets the connection, which is closed with the client. One that is still being
	 * opened is closed later.
	 */
	void abandon() {
		CompletableFuture<LettuceConnection> abandoned = forget();
		if (abandoned != null && !abandoned.isDone()) {
			abandoned.thenAccept((opened) -> opened.link().closeAsync());
		}
	}

	private synchronized @Nullable CompletableFuture<LettuceConnection> forget() {
		CompletableFuture<LettuceConnection> forgotten = this.current;
		this.current = null;
		return forgotten;
	}

}
