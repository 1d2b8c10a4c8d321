package io.lockstarter.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.IntStream;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/**
 * Tests for {@link LoopVigil}, by an event loop and a clock of their own.
 */
class LoopVigilTests {

	private static final Duration LONGEST = Duration.ofNanos(100_000);

	private static final int FOR_COMMAND = 25;

	private static final int MICROSECOND = 1000;

	private final ScheduledExecutorService loop = mock(ScheduledExecutorService.class);

	private boolean onLoop = true;

	private long clock = Long.MAX_VALUE - 10_000;

	/** What keeps the event loop awake. */
	private Runnable task;

	private final LoopVigil vigil = vigil(LONGEST);

	private LoopVigil vigil(Duration longest) {
		ScheduledFuture<?> scheduled = mock(ScheduledFuture.class);
		when(scheduled.cancel(anyBoolean())).thenAnswer((call) -> {
			this.task = null;
			return true;
		});
		when(this.loop.scheduleWithFixedDelay(any(), anyLong(), anyLong(), any())).thenAnswer((call) -> {
			this.task = call.getArgument(0);
			return scheduled;
		});
		return new LoopVigil(longest, () -> this.onLoop ? this.loop : null, () -> this.clock);
	}

	@Test
	void staysAwakeForTheNextCommandAfterAReply() {
		send(this.vigil).complete("reply");
		assertThat(looks()).isEqualTo(FOR_COMMAND);
	}

	@Test
	void staysAwakeForTheReplyIfACommandFollows() {
		send(this.vigil).complete("reply");
		send(this.vigil);
		assertThat(looks()).isEqualTo(100);
	}

	@Test
	void goesOnStayingAwakeWhileRepliesCome() {
		CompletableFuture<String> reply = send(this.vigil);
		for (int i = 0; i < 1000; i++) {
			reply.complete("reply");
			assertThat(looks(10)).isEqualTo(10);
			reply = send(this.vigil);
			assertThat(looks(60)).isEqualTo(60);
		}
	}

	@Test
	void staysAsleepForEverMoreRepliesAfterVigilsInVain() {
		assertThat(IntStream.range(0, 100_000).filter((i) -> inVain()).count()).isBetween(100L, 110L);
	}

	@Test
	void triesAgainAtOnceAfterOneThatWasOfUse() {
		IntStream.range(0, 12).forEach((i) -> inVain());
		while (this.task == null) {
			send(this.vigil).complete("reply");
		}
		looks(1);
		send(this.vigil).complete("of use");
		looks();
		assertThat(inVain()).isFalse();
		assertThat(inVain()).isTrue();
	}

	@Test
	void repliesThatComeTogetherAreOfNoUse() {
		assertThat(IntStream.range(0, 10_000).filter((i) -> {
			CompletableFuture<String> first = send(this.vigil);
			CompletableFuture<String> second = send(this.vigil);
			first.complete("reply");
			second.complete("another");
			return looks() > 0;
		}).count()).isLessThan(50);
	}

	@Test
	void doesNothingIfItMayNotStayAwake() {
		send(vigil(Duration.ZERO)).complete("reply");
		assertThat(this.task).isNull();
	}

	@Test
	void doesNothingForACommandThatNoEventLoopHasAnswered() {
		this.onLoop = false;
		send(this.vigil).cancel(false);
		assertThat(this.task).isNull();
		this.onLoop = true;
		send(this.vigil).complete("reply");
		assertThat(looks()).as("the other command is not waited for").isEqualTo(FOR_COMMAND);
	}

	@Test
	void survivesTheEndOfTheEventLoop() {
		when(this.loop.scheduleWithFixedDelay(any(), anyLong(), anyLong(), any()))
			.thenThrow(new RejectedExecutionException("shut down"));
		assertThatNoException().isThrownBy(() -> send(this.vigil).complete("reply"));
	}

	@Test
	void keepsTheEventLoopOfLettuceAwake() {
		RedisServer redis = RedisServer.start();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(redis.host(), redis.port()));
		factory.afterPropertiesSet();
		factory.start();
		try (LockBackend backend = new RedisLockBackend(factory, "lock:", Duration.ofMinutes(1), Replication.NONE,
				Duration.ofSeconds(2))) {
			await().until(() -> {
				backend.occupancy("any").join();
				return isAnyAwake();
			});
		}
		finally {
			factory.destroy();
			redis.close();
		}
	}

	private static boolean isAnyAwake() {
		return Thread.getAllStackTraces()
			.entrySet()
			.stream()
			.filter((thread) -> thread.getKey().getName().startsWith("lettuce-"))
			.flatMap((thread) -> Arrays.stream(thread.getValue()))
			.anyMatch((frame) -> frame.getClassName().startsWith(LoopVigil.class.getName()));
	}

	/** Get a reply that no command follows; whether the loop was kept awake for one. */
	private boolean inVain() {
		send(this.vigil).complete("reply");
		return looks() > 0;
	}

	private static CompletableFuture<String> send(LoopVigil vigil) {
		CompletableFuture<String> reply = new CompletableFuture<>();
		vigil.sent(reply);
		return reply;
	}

	private int looks() {
		return looks(Integer.MAX_VALUE);
	}

	/** How often the loop looks for work before it sleeps, a microsecond each. */
	private int looks(int most) {
		int looks = 0;
		while (this.task != null && looks < most) {
			this.clock += MICROSECOND;
			this.task.run();
			looks++;
		}
		return looks;
	}

}
