package io.lockstarter.testing;

import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link TcpProxy}.
 */
class TcpProxyTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static RedisServer redis;

	private TcpProxy proxy;

	private RespClient client;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.start();
	}

	@AfterAll
	static void closeRedis() {
		redis.close();
	}

	@BeforeEach
	void connect() {
		redis.cli("FLUSHALL");
		this.proxy = TcpProxy.to(redis);
		this.client = newClient(PATIENCE);
	}

	@AfterEach
	void close() {
		this.client.close();
		this.proxy.close();
	}

	@Test
	void passesPipelinedRequestsAndRepliesOnInOrder() {
		this.client.send("SET", "a", "x\r\ny");
		this.client.send("GET", "a");
		this.client.send("EVAL", "return {1, {'x'}}", "0");
		assertThat(this.client.read()).isEqualTo("OK");
		assertThat(this.client.read()).isEqualTo("x\r\ny");
		assertThat(this.client.read()).isEqualTo(List.of(1L, List.of("x")));
	}

	@Test
	void dropsReplyToRequestThatRedisExecuted() {
		CompletableFuture<Void> dropped = this.proxy.dropReplyTo("counter");
		assertBroken(() -> this.client.call("INCR", "counter"));
		assertThat(dropped).succeedsWithin(PATIENCE);
		assertThat(redis.cli("GET", "counter")).isEqualTo("1");
		assertThat(newClient(PATIENCE).call("INCR", "counter")).isEqualTo(2L);
	}

	@Test
	void dropsNoReplyButTheNth() {
		CompletableFuture<Void> dropped = this.proxy.dropReplyTo("counter", 2);
		this.client.send("INCR", "counter");
		this.client.send("INCR", "other");
		this.client.send("INCRBY", "counter", "10");
		assertThat(this.client.read()).isEqualTo(1L);
		assertThat(this.client.read()).isEqualTo(1L);
		assertBroken(this.client::read);
		assertThat(dropped).succeedsWithin(PATIENCE);
		assertThat(redis.cli("GET", "counter")).isEqualTo("11");
	}

	@Test
	void dropsNoMessageInPlaceOfTheReply() throws Exception {
		String message = "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$5\r\nhello\r\n";
		try (ServerSocket server = Ports.listen(Ports.free());
				TcpProxy proxy = TcpProxy.to(this.proxy.host(), server.getLocalPort());
				RespClient client = RespClient.connect(proxy.host(), proxy.port());
				Socket connection = server.accept()) {
			CompletableFuture<Void> dropped = proxy.dropReplyTo("probe");
			client.send("PING", "probe");
			RespFrames.read(connection.getInputStream());
			connection.getOutputStream().write((message + "+probe\r\n").getBytes(StandardCharsets.UTF_8));
			assertThat(client.read()).isEqualTo(List.of("message", "news", "hello"));
			assertBroken(client::read);
			assertThat(dropped).succeedsWithin(PATIENCE);
		}
	}

	@Test
	void countsEachConfirmationOfASubscription() {
		CompletableFuture<Void> dropped = this.proxy.dropReplyTo("probe");
		this.client.send("SUBSCRIBE", "news", "more");
		this.client.send("PING", "probe");
		assertThat(this.client.read()).isEqualTo(List.of("subscribe", "news", 1L));
		assertThat(this.client.read()).isEqualTo(List.of("subscribe", "more", 2L));
		assertBroken(this.client::read);
		assertThat(dropped).succeedsWithin(PATIENCE);
	}

	@Test
	void cutsBeforeRedisSeesTheRequest() {
		CompletableFuture<Void> cut = this.proxy.cutBeforeRequest("counter");
		this.client.call("INCR", "other");
		assertBroken(() -> this.client.call("INCR", "counter"));
		assertThat(cut).succeedsWithin(PATIENCE);
		assertThat(redis.cli("GET", "counter")).isNull();
		assertThat(newClient(PATIENCE).call("INCR", "counter")).isEqualTo(1L);
	}

	@Test
	void strikesNoMoreWhenCancelled() {
		this.proxy.cutBeforeRequest("counter").cancel(true);
		assertThat(this.client.call("INCR", "counter")).isEqualTo(1L);
	}

	@Test
	void deliversHeldRequestAfterItsClientWasCut() {
		CompletableFuture<Void> held = this.proxy.holdRequest("late");
		assertBroken(() -> this.client.call("SET", "k", "late"));
		assertThat(held).succeedsWithin(PATIENCE);
		assertThat(newClient(PATIENCE).call("SET", "k", "early")).isEqualTo("OK");
		this.proxy.cutAll();
		assertThat(this.proxy.deliverHeld()).succeedsWithin(PATIENCE);
		assertThat(redis.cli("GET", "k")).isEqualTo("late");
		assertThatIllegalStateException().isThrownBy(this.proxy::deliverHeld);
	}

	@Test
	void saysThatHeldRequestFoundNoServer() {
		try (RedisServer mortal = RedisServer.start(); TcpProxy proxy = TcpProxy.to(mortal)) {
			CompletableFuture<Void> held = proxy.holdRequest("late");
			assertBroken(() -> RespClient.connect(proxy.host(), proxy.port()).call("SET", "k", "late"));
			assertThat(held).succeedsWithin(PATIENCE);
			mortal.restart();
			assertThat(proxy.deliverHeld()).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(IllegalStateException.class);
			assertThat(mortal.cli("GET", "k")).isNull();
		}
	}

	@Test
	void deliversHeldRepliesLater() {
		this.proxy.holdReplies();
		this.client.send("INCR", "counter");
		this.client.send("INCR", "counter");
		await().atMost(PATIENCE).until(() -> "2".equals(redis.cli("GET", "counter")));
		try (RespClient other = newClient(Duration.ofMillis(50))) {
			assertBroken(() -> other.call("PING"));
		}
		this.proxy.releaseHeld();
		assertThat(this.client.read()).isEqualTo(1L);
		assertThat(this.client.read()).isEqualTo(2L);
	}

	@Test
	void deliversHeldRequestsLaterEvenOfAClientThatLeft() {
		this.client.call("PING");
		this.proxy.holdRequests();
		this.client.send("INCR", "counter");
		RespClient leaving = newClient(PATIENCE);
		leaving.send("INCR", "left");
		leaving.close();
		try (RespClient impatient = newClient(Duration.ofMillis(50))) {
			assertBroken(() -> impatient.call("INCR", "counter"));
		}
		assertThat(redis.cli("EXISTS", "counter", "left")).isEqualTo(0L);
		this.proxy.releaseHeld();
		this.client.read();
		await().atMost(PATIENCE).until(() -> "2".equals(redis.cli("GET", "counter")));
		await().atMost(PATIENCE).until(() -> "1".equals(redis.cli("GET", "left")));
	}

	@Test
	void delaysEachWayOnce() {
		this.proxy.delay(Duration.ofMillis(50));
		long start = System.nanoTime();
		for (int i = 0; i < 20; i++) {
			this.client.send("PING");
		}
		for (int i = 0; i < 20; i++) {
			this.client.read();
		}
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(100),
				Duration.ofMillis(900));
	}

	@Test
	void cutsAllConnectionsButServesNewOnes() {
		RespClient second = newClient(PATIENCE);
		this.client.call("PING");
		second.call("PING");
		this.proxy.cutAll();
		assertBroken(() -> this.client.call("PING"));
		assertBroken(() -> second.call("PING"));
		assertThat(newClient(PATIENCE).call("PING")).isEqualTo("PONG");
		await().atMost(PATIENCE).until(() -> this.proxy.connections() == 1);
	}

	@Test
	void refusesNewConnectionsUntilAccepting() {
		this.client.call("PING");
		this.proxy.refuse();
		assertBroken(() -> newClient(PATIENCE));
		assertThat(this.client.call("PING")).isEqualTo("PONG");
		this.proxy.accept();
		assertThat(newClient(PATIENCE).call("PING")).isEqualTo("PONG");
	}

	@Test
	void endsClientsConnectionWhenRedisDies() {
		try (RedisServer mortal = RedisServer.start();
				TcpProxy proxy = TcpProxy.to(mortal);
				RespClient client = RespClient.connect(proxy.host(), proxy.port())) {
			client.call("PING");
			mortal.kill();
			assertBroken(() -> client.call("PING"));
			mortal.restart();
			assertThat(RespClient.connect(proxy.host(), proxy.port()).call("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void countsNoConnectionWhoseClientLeavesAtOnce() throws Exception {
		this.client.close();
		for (int i = 0; i < 500; i++) {
			new Socket(this.proxy.host(), this.proxy.port()).close();
		}
		await().until(() -> this.proxy.connections() == 0);
	}

	@Test
	void leavesNoThreadAndNoConnectionWhenClosed() {
		this.client.call("PING");
		this.proxy.holdRequests();
		this.client.send("PING");
		this.proxy.close();
		assertBroken(this.client::read);
		await().atMost(PATIENCE)
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().startsWith("proxy-")));
		await().atMost(PATIENCE)
			.until(() -> String.valueOf(redis.cli("CLIENT", "LIST"))
				.lines()
				.filter((line) -> !line.isBlank())
				.count() == 1);
	}

	private RespClient newClient(Duration timeout) {
		return RespClient.connect(this.proxy.host(), this.proxy.port(), timeout);
	}

	private static void assertBroken(ThrowingCallable call) {
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(call);
	}

}
