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
 * A client's connection through a {@link TcpProxy}, with its connection to the server.
 */
final class ProxiedConnection {

	private final TcpProxy proxy;

	private final Socket client;

	private final Socket server;

	private final Lane requests;

	private final Lane replies;

	// What to do with each reply to come, in the order of the requests sent
	private final Queue<Consumer<byte[]>> expected = new ConcurrentLinkedQueue<>();

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private volatile boolean cut;

	private volatile boolean frozen;

	private volatile boolean silent;

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

	/** Begins to pass requests and replies on, until either side ends the connection. */
	void begin() {
		start("proxy-client-" + this.client.getPort(), this::readRequests);
		start("proxy-server-" + this.client.getPort(), this::readReplies);
	}

	/**
	 * Reset the client's connection; the server only sees a client that leaves. A frozen
	 * connection has no client any more.
	 */
	void cut() {
		if (this.frozen) {
			return;
		}
		this.cut = true;
		resetClient();
		this.requests.end();
		leaveServer();
	}

	/**
	 * Drop from now on what either side sends, and tell neither.
	 */
	void silence() {
		this.silent = true;
	}

	/**
	 * Pass back no more than one reply in each period from now on.
	 */
	void paceReplies(Duration period) {
		this.periodNanos = period.toNanos();
	}

	void close() {
		resetClient();
		finish();
	}

	/**
	 * Pass a request on; its reply goes back to the client.
	 */
	void forward(byte[] request) {
		send(request, this::passBack);
	}

	/**
	 * Pass a request on; in place of its reply the client gets a cut.
	 */
	void forwardThenCut(byte[] request, Runnable onCut) {
		send(request, (reply) -> this.replies.put(() -> cutThen(onCut)));
	}

	/**
	 * Pass a request on; its reply is the first of all that is dropped.
	 */
	void forwardThenSilence(byte[] request, Runnable onSilence) {
		send(request, (reply) -> this.replies.put(() -> {
			silence();
			onSilence.run();
		}));
	}

	void cutInsteadOf(Runnable onCut) {
		this.requests.put(() -> cutThen(onCut));
	}

	/**
	 * Cut the client off after the requests before; the server does not notice.
	 */
	void freeze(Runnable onFrozen) {
		this.frozen = true;
		this.requests.put(() -> {
			resetClient();
			onFrozen.run();
		});
	}

	/**
	 * Send a request of a client that is gone.
	 * @return completes when Redis has answered
	 */
	CompletableFuture<Void> deliverLate(byte[] request) {
		CompletableFuture<Void> answered = new CompletableFuture<>();
		this.ended.whenComplete((none, ex) -> answered
			.completeExceptionally(new IllegalStateException("The server ended the connection without a reply")));
		send(request, (reply) -> answered.complete(null));
		this.requests.put(this::leaveServer);
		return answered;
	}

	private void send(byte[] request, Consumer<byte[]> onReply) {
		this.requests.put(() -> {
			if (this.silent) {
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
			boolean goOn = true;
			while (goOn) {
				goOn = this.proxy.onRequest(this, RespFrames.read(in));
			}
		}
		catch (IOException ex) {
			this.requests.put(this::leaveServer);
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
			if (!this.silent) {
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
			// Closed before
		}
		close(this.client);
	}

	// No reset, which could overtake requests that the server has not read yet
	private void leaveServer() {
		try {
			this.server.shutdownOutput();
		}
		catch (IOException ex) {
			// The server was first
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
