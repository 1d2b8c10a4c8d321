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
 * Faulty network between a client and Redis. As in TCP, data that is held back is
 * delivered later in order, or the connection is cut. Supports plain RESP, but not TLS.
 * <p>
 * A method that affects a single request takes a text that the request contains, such as
 * a key, and sets a trap for one request. Its future completes when the trap has been
 * triggered. To remove the trap, cancel the future.
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
	 * Returns the number of open connections.
	 */
	public int connections() {
		return this.connections.size();
	}

	/**
	 * Resets all connections. New ones are accepted.
	 */
	public synchronized void cutAll() {
		this.connections.forEach(ProxiedConnection::cut);
	}

	/**
	 * Resets all connections except those that have subscribed.
	 */
	public synchronized void cutAllButSubscriptions() {
		this.connections.stream()
			.filter((connection) -> !this.subscriptions.contains(connection))
			.forEach(ProxiedConnection::cut);
	}

	/**
	 * Silently drops all data on the existing connections. New ones are accepted.
	 */
	public synchronized void silenceAll() {
		this.connections.forEach(ProxiedConnection::silence);
	}

	/**
	 * Silently drops all data on the connections that have subscribed.
	 */
	public synchronized void silenceSubscriptions() {
		this.subscriptions.forEach(ProxiedConnection::silence);
	}

	/**
	 * Lets Redis execute the next request to subscribe. Its confirmation and all later
	 * data on the connection are silently dropped.
	 */
	public CompletableFuture<Void> silenceAfterSubscribing() {
		return arm("SUBSCRIBE", 1, (connection, request, struck) -> {
			connection.forwardThenSilence(request, struck);
			return true;
		});
	}

	/**
	 * Redirects all clients to another server, and resets their existing connections.
	 */
	public synchronized void redirect(RedisFixture redis) {
		redirectNew(redis);
		cutAll();
	}

	/**
	 * Redirects new connections to another server. Existing ones are not affected.
	 */
	public synchronized void redirectNew(RedisFixture redis) {
		this.targetHost = redis.host();
		this.targetPort = redis.port();
	}

	/**
	 * Refuses new connections until {@link #accept()}.
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
	 * Delays all data from now on, in each direction.
	 */
	public void delay(Duration eachWay) {
		delay(eachWay, eachWay);
	}

	public void delay(Duration requests, Duration replies) {
		this.requests.delay(requests);
		this.replies.delay(replies);
	}

	/**
	 * Limits the replies on each existing connection to one in each period.
	 */
	public void paceReplies(Duration period) {
		this.connections.forEach((connection) -> connection.paceReplies(period));
	}

	/**
	 * Holds back all requests, also those of new connections, until
	 * {@link #releaseHeld()}.
	 */
	public void holdRequests() {
		this.requests.hold();
	}

	/**
	 * Holds back all data from Redis until {@link #releaseHeld()}.
	 */
	public void holdReplies() {
		this.replies.hold();
	}

	public void releaseHeld() {
		this.requests.release();
		this.replies.release();
	}

	/**
	 * Lets Redis execute a request, then resets the connection instead of delivering the
	 * reply.
	 */
	public CompletableFuture<Void> dropReplyTo(String text) {
		return dropReplyTo(text, 1);
	}

	/**
	 * Drops the reply to the nth request from now on that contains the text.
	 */
	public CompletableFuture<Void> dropReplyTo(String text, int nth) {
		return arm(text, nth, (connection, request, struck) -> {
			connection.forwardThenCut(request, struck);
			return true;
		});
	}

	/**
	 * Resets the connection instead of forwarding a request.
	 */
	public CompletableFuture<Void> cutBeforeRequest(String text) {
		return arm(text, 1, (connection, request, struck) -> {
			connection.cutInsteadOf(struck);
			return false;
		});
	}

	/**
	 * Holds back a request until {@link #deliverHeld()} and resets its client's
	 * connection. The request reaches Redis after the client has given up.
	 */
	public CompletableFuture<Void> holdRequest(String text) {
		return arm(text, 1, (connection, request, struck) -> {
			hold(connection, request);
			connection.freeze(struck);
			return false;
		});
	}

	/**
	 * Delivers the held requests, each on its own connection to Redis.
	 * @return a future that completes when Redis has replied to all
	 */
	public synchronized CompletableFuture<Void> deliverHeld() {
		if (this.late.isEmpty()) {
			throw new IllegalStateException("No request is held");
		}
		var replies = this.late.stream().map(Supplier::get).toArray(CompletableFuture<?>[]::new);
		this.late.clear();
		return CompletableFuture.allOf(replies);
	}

	@Override
	public void close() {
		refuse();
		this.connections.forEach(ProxiedConnection::close);
	}

	/**
	 * Routes a request.
	 * @return whether the connection accepts further requests
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

	private synchronized void hold(ProxiedConnection connection, byte[] request) {
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
				// The listener is closed
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

	// The kernel accepts connections until the last thread has left a closed listener
	private static void join(Thread acceptor) {
		try {
			acceptor.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	// Under the lock, so that no connection is accepted after refuse() or cutAll()
	private synchronized void connect(ServerSocket listener, Socket client) throws IOException {
		try {
			if (listener != this.listener) {
				throw new IOException("Refusing");
			}
			Socket server = new Socket(this.targetHost, this.targetPort);
			ProxiedConnection connection = new ProxiedConnection(this, client, server, this.requests, this.replies);
			// Before the connection can end
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
	 * Action of a trap on its request.
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
