package io.lockstarter.testing;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Connection of a client through a {@link TcpProxy}, with the connection to the server.
 */
final class ProxiedConnection {

	private final TcpProxy proxy;

	private final Socket client;

	private final Socket server;

	private final Lane requests;

	private final Lane replies;

	// Actions on the expected replies, in the order of the requests
	private final Queue<Consumer<byte[]>> expected = new ConcurrentLinkedQueue<>();

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private volatile boolean cut;

	private volatile boolean frozen;

	private volatile boolean silenced;

	private volatile long periodNanos;

	ProxiedConnection(TcpProxy proxy, Socket client, Socket server, Lane.Gate requests, Lane.Gate replies)
			throws IOException {
		this.proxy = proxy;
		this.client = client;
		this.server = server;
		client.setTcpNoDelay(true);
		server.setTcpNoDelay(true);
		this.requests = new Lane("proxy-requests-" + client.getPort(), requests);
		this.replies = new Lane("proxy-replies-" + client.getPort(), replies);
	}

	/** Begins to forward requests and replies, until either side ends the connection. */
	void begin() {
		start("proxy-client-" + this.client.getPort(), this::readRequests);
		start("proxy-server-" + this.client.getPort(), this::readReplies);
	}

	/**
	 * Resets the client's connection. For the server, the client ends the connection
	 * regularly. Has no effect on a frozen connection, whose client is already cut off.
	 */
	void cut() {
		if (this.frozen) {
			return;
		}
		this.cut = true;
		resetClient();
		this.requests.end();
		endRequests();
	}

	/**
	 * Silently drops all data of both sides from now on.
	 */
	void silence() {
		this.silenced = true;
	}

	/**
	 * Limits the replies to one in each period from now on.
	 */
	void paceReplies(Duration period) {
		this.periodNanos = period.toNanos();
	}

	void close() {
		resetClient();
		finish();
	}

	/**
	 * Forwards a request. The client gets the reply.
	 */
	void forward(byte[] request) {
		send(request, this::passBack);
	}

	/**
	 * Forwards a request. The client's connection is reset instead of delivering the
	 * reply.
	 */
	void forwardThenCut(byte[] request, Runnable onCut) {
		send(request, (reply) -> this.replies.put(() -> cutThen(onCut)));
	}

	/**
	 * Forwards a request. Its reply and all later data are dropped.
	 */
	void forwardThenSilence(byte[] request, Runnable onSilence) {
		send(request, (reply) -> this.replies.put(() -> {
			silence();
			onSilence.run();
		}));
	}

	/**
	 * Resets the client's connection instead of forwarding a request.
	 */
	void cutInsteadOf(Runnable onCut) {
		this.requests.put(() -> cutThen(onCut));
	}

	/**
	 * Resets the client's connection after the earlier requests. The connection to the
	 * server stays open.
	 */
	void freeze(Runnable onFrozen) {
		this.frozen = true;
		this.requests.put(() -> {
			resetClient();
			onFrozen.run();
		});
	}

	/**
	 * Sends a request of a client whose connection was reset.
	 * @return a future that completes when Redis has replied
	 */
	CompletableFuture<Void> deliverLate(byte[] request) {
		CompletableFuture<Void> replied = new CompletableFuture<>();
		this.ended.whenComplete((none, ex) -> replied
			.completeExceptionally(new IllegalStateException("The server ended the connection without a reply")));
		send(request, (reply) -> replied.complete(null));
		this.requests.put(this::endRequests);
		return replied;
	}

	private void send(byte[] request, Consumer<byte[]> onReply) {
		this.requests.put(() -> {
			if (this.silenced) {
				return;
			}
			for (int i = 0; i < RespFrames.replies(request); i++) {
				this.expected.add(onReply);
			}
			this.server.getOutputStream().write(request);
		});
	}

	private void readRequests() {
		try {
			InputStream in = new BufferedInputStream(this.client.getInputStream());
			boolean open = true;
			while (open) {
				open = this.proxy.onRequest(this, RespFrames.read(in));
			}
		}
		catch (IOException ex) {
			this.requests.put(this::endRequests);
		}
	}

	private void readReplies() {
		try {
			InputStream in = new BufferedInputStream(this.server.getInputStream());
			while (true) {
				onReply(RespFrames.read(in));
			}
		}
		catch (IOException ex) {
			this.replies.put(this::finish);
		}
		if (this.cut) {
			finish();
		}
	}

	private void onReply(byte[] reply) {
		Consumer<byte[]> action = RespFrames.isMessage(reply) ? null : this.expected.poll();
		if (action == null) {
			passBack(reply);
		}
		else {
			action.accept(reply);
		}
	}

	private void passBack(byte[] reply) {
		this.replies.put(() -> {
			if (this.periodNanos > 0) {
				LockSupport.parkNanos(this.periodNanos);
			}
			if (!this.silenced) {
				this.client.getOutputStream().write(reply);
			}
		});
	}

	private void cutThen(Runnable action) {
		cut();
		action.run();
	}

	private void resetClient() {
		try {
			this.client.setSoLinger(true, 0);
		}
		catch (IOException ex) {
			// Already closed
		}
		close(this.client);
	}

	// No reset, which could discard requests that the server has not read
	private void endRequests() {
		try {
			this.server.shutdownOutput();
		}
		catch (IOException ex) {
			// The server has already closed the connection
		}
	}

	private void finish() {
		close(this.client);
		close(this.server);
		this.requests.end();
		this.replies.end();
		this.proxy.onEnd(this);
		this.ended.complete(null);
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void start(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

}
