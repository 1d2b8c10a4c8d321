package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A bad network between a client and Redis: what it holds back it delivers later in
 * order, or else it cuts the connection, as TCP does. Speaks plain RESP only, no TLS.
 * <p>
 * Methods that wait for a request take a text that it contains, such as a key, and strike
 * once. Their future completes when they have struck; cancelling it disarms them.
 */
public final class TcpProxy implements AutoCloseable {

	private volatile String targetHost;

	private volatile int targetPort;

	private final int port;

	private final Lane.Gate requests = new Lane.Gate();

	private final Lane.Gate replies = new Lane.Gate();

	private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

	private final Set<ProxiedConnection> subscriptions = ConcurrentHashMap.newKeySet();

	private final List<Trap> traps = new CopyOnWriteArrayList<>();

	private final List<Supplier<CompletableFuture<Void>>> late = new ArrayList<>();

	private @Nullable ServerSocket listener;

	private @Nullable Thread acceptor;

	private TcpProxy(String host, int targetPort) {
		this.targetHost = host;
		this.targetPort = targetPort;
		this.port = Ports.free();
		accept();
	}

	public static TcpProxy to(String host, int port) {
		return new TcpProxy(host, port);
	}

	public static TcpProxy to(RedisFixture redis) {
		return to(redis.host(), redis.port());
	}

	public String host() {
		return InetAddress.getLoopbackAddress().getHostAddress();
	}

	public int port() {
		return this.port;
	}

	public String uri() {
		return String.format(Locale.ROOT, "redis://%s:%d", host(), port());
	}

	/**
	 * Number of connections that are open now.
	 */
	public int connections() {
		return this.connections.size();
	}

	/**
	 * Reset all connections; new ones are served.
	 */
	public synchronized void cutAll() {
		this.connections.forEach(ProxiedConnection::cut);
	}

	/**
	 * Reset all connections but those that have subscribed.
	 */
	public synchronized void cutAllButSubscriptions() {
		this.connections.stream()
			.filter((connection) -> !this.subscriptions.contains(connection))
			.forEach(ProxiedConnection::cut);
	}

	/**
	 * Drop without a word what is sent over the connections that there are; new ones are
	 * served.
	 */
	public synchronized void silenceAll() {
		this.connections.forEach(ProxiedConnection::silence);
	}

	/**
	 * Drop without a word what is sent over the connections that have subscribed.
	 */
	public synchronized void silenceSubscriptions() {
		this.subscriptions.forEach(ProxiedConnection::silence);
	}

	/**
	 * Let Redis execute the next request to subscribe, and drop without a word its
	 * confirmation and all that follows on the connection.
	 */
	public CompletableFuture<Void> silenceAfterSubscribing() {
		return arm("SUBSCRIBE", 1, (connection, request, struck) -> {
			connection.forwardThenSilence(request, struck);
			return true;
		});
	}

	/**
	 * Lead all clients to another server, resetting the connections that they have.
	 */
	public synchronized void redirect(RedisFixture redis) {
		redirectNew(redis);
		cutAll();
	}

	/**
	 * Lead new connections to another server; those that there are stay as they are.
	 */
	public synchronized void redirectNew(RedisFixture redis) {
		this.targetHost = redis.host();
		this.targetPort = redis.port();
	}

	/**
	 * Refuse new connections, until {@link #accept()}.
	 */
	public void refuse() {
		Thread acceptor = closeListener();
		if (acceptor != null) {
			join(acceptor);
		}
	}

	public synchronized void accept() {
		if (this.listener == null) {
			this.listener = listen(this.port);
			this.acceptor = acceptFrom(this.listener);
		}
	}

	/**
	 * Delay what is sent from now on, in each direction by the time given.
	 */
	public void delay(Duration eachWay) {
		delay(eachWay, eachWay);
	}

	public void delay(Duration requests, Duration replies) {
		this.requests.delay(requests);
		this.replies.delay(replies);
	}

	/**
	 * Let the connections that there are deliver no more than one reply in each period.
	 */
	public void paceReplies(Duration period) {
		this.connections.forEach((connection) -> connection.paceReplies(period));
	}

	/**
	 * Hold back all requests, also those of new connections, until
	 * {@link #releaseHeld()}.
	 */
	public void holdRequests() {
		this.requests.hold();
	}

	/**
	 * Hold back all that Redis sends, until {@link #releaseHeld()}.
	 */
	public void holdReplies() {
		this.replies.hold();
	}

	public void releaseHeld() {
		this.requests.release();
		this.replies.release();
	}

	/**
	 * Let Redis execute a request, then reset the connection in place of the reply.
	 */
	public CompletableFuture<Void> dropReplyTo(String text) {
		return dropReplyTo(text, 1);
	}

	/**
	 * Drop the reply to the nth request from now on that contains the text.
	 */
	public CompletableFuture<Void> dropReplyTo(String text, int nth) {
		return arm(text, nth, (connection, request, struck) -> {
			connection.forwardThenCut(request, struck);
			return true;
		});
	}

	/**
	 * Reset the connection in place of passing a request on.
	 */
	public CompletableFuture<Void> cutBeforeRequest(String text) {
		return arm(text, 1, (connection, request, struck) -> {
			connection.cutInsteadOf(struck);
			return false;
		});
	}

	/**
	 * Keep a request until {@link #deliverHeld()} while its client's connection is reset,
	 * so that the request reaches Redis after the client has given up.
	 */
	public CompletableFuture<Void> holdRequest(String text) {
		return arm(text, 1, (connection, request, struck) -> {
			keep(connection, request);
			connection.freeze(struck);
			return false;
		});
	}

	/**
	 * Deliver the requests kept, each on the connection that it came for.
	 * @return completes when Redis has answered them all
	 */
	public synchronized CompletableFuture<Void> deliverHeld() {
		if (this.late.isEmpty()) {
			throw new IllegalStateException("No request is held");
		}
		var answers = this.late.stream().map(Supplier::get).toArray(CompletableFuture<?>[]::new);
		this.late.clear();
		return CompletableFuture.allOf(answers);
	}

	@Override
	public void close() {
		refuse();
		this.connections.forEach(ProxiedConnection::close);
	}

	/**
	 * Route a request.
	 * @return whether the connection takes further ones
	 */
	boolean onRequest(ProxiedConnection connection, byte[] request) {
		String text = RespFrames.text(request);
		if (text.contains("SUBSCRIBE")) {
			this.subscriptions.add(connection);
		}
		for (Trap trap : this.traps) {
			if (trap.catches(text)) {
				this.traps.remove(trap);
				return trap.action.strike(connection, request, () -> trap.struck.complete(null));
			}
		}
		connection.forward(request);
		return true;
	}

	void onEnd(ProxiedConnection connection) {
		this.connections.remove(connection);
		this.subscriptions.remove(connection);
	}

	private CompletableFuture<Void> arm(String text, int nth, Action action) {
		String bytes = RespFrames.text(text.getBytes(StandardCharsets.UTF_8));
		Trap trap = new Trap(bytes, new AtomicInteger(nth), action, new CompletableFuture<>());
		this.traps.add(trap);
		return trap.struck;
	}

	private synchronized void keep(ProxiedConnection connection, byte[] request) {
		this.late.add(() -> connection.deliverLate(request));
	}

	private Thread acceptFrom(ServerSocket listener) {
		Thread thread = new Thread(() -> {
			try {
				while (true) {
					connect(listener, listener.accept());
				}
			}
			catch (IOException ex) {
				// Refusing from now on
			}
		}, "proxy-" + this.port);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	private synchronized @Nullable Thread closeListener() {
		if (this.listener == null) {
			return null;
		}
		close(this.listener);
		this.listener = null;
		return this.acceptor;
	}

	// The kernel takes connections until the last thread has let go of a closed listener
	private static void join(Thread acceptor) {
		try {
			acceptor.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	// Under the lock, so that no connection slips in after refuse() or cutAll()
	private synchronized void connect(ServerSocket listener, Socket client) throws IOException {
		try {
			if (listener != this.listener) {
				throw new IOException("Refusing");
			}
			Socket server = new Socket(this.targetHost, this.targetPort);
			ProxiedConnection connection = new ProxiedConnection(this, client, server, this.requests, this.replies);
			// Before it can end.
			this.connections.add(connection);
			connection.begin();
		}
		catch (IOException ex) {
			client.setSoLinger(true, 0);
			client.close();
		}
	}

	private static ServerSocket listen(int port) {
		try {
			return Ports.listen(port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void close(ServerSocket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * What a trap does to the request it was waiting for.
	 */
	@FunctionalInterface
	private interface Action {

		boolean strike(ProxiedConnection connection, byte[] request, Runnable struck);

	}

	private record Trap(String text, AtomicInteger countdown, Action action, CompletableFuture<Void> struck) {

		boolean catches(String request) {
			return !this.struck.isDone() && request.contains(this.text) && this.countdown.decrementAndGet() == 0;
		}

	}

}
