package io.lockstarter.dashboard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.core.backend.LockBackend;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class RollCallTests {

	private final AtomicLong nanoTime = new AtomicLong(-5);

	private final Network network = new Network();

	private final RollCall north = join("north");

	@Test
	void hearsOfEveryInstanceThatAnswers() {
		join("south");
		join("east");
		assertThat(names(this.north.call())).as("until answers have come").containsExactly("north");
		this.network.deliver();
		RollCall.Roll roll = this.north.call();
		assertThat(names(roll)).containsExactly("east", "north", "south");
		assertThat(roll.refusal()).isNull();
		assertThat(roll.instances()).filteredOn(RollCall.Answer::own)
			.extracting((answer) -> answer.report().instance())
			.containsExactly("north");
		assertThat(roll.instances().get(2).report()).isEqualTo(report("south"));
	}

	@Test
	void sendsNothingWhileNobodyCalls() {
		join("south");
		pass(Duration.ofHours(1));
		this.network.deliver();
		assertThat(this.network.sent).isZero();
	}

	@Test
	void callsNoMoreOftenThanEveryTwoSecondsHoweverManyLook() {
		for (int i = 0; i < 100; i++) {
			this.north.call();
		}
		assertThat(this.network.sent).isEqualTo(1);
		pass(Duration.ofSeconds(2));
		this.north.call();
		assertThat(this.network.sent).isEqualTo(2);
	}

	@Test
	void tellsWhoFallsSilentAndWhoSpeaksAgain() {
		join("south");
		look();
		assertThat(silent(look())).isEmpty();
		this.network.frozen = "south";
		look();
		assertThat(silent(look())).as("may still answer").isEmpty();
		look();
		RollCall.Roll roll = look();
		assertThat(silent(roll)).containsExactly("south");
		assertThat(roll.instances().get(1).heardMillis()).isBetween(6000L, 10_000L);
		this.network.frozen = null;
		look();
		assertThat(silent(look())).isEmpty();
	}

	@Test
	void blamesNobodyForCallsThatWereNotSent() {
		join("south");
		look();
		look();
		this.network.failure = new LockBackendException(LockBackendException.NO_LOCK,
				LockBackendException.Reason.NOT_AUTHORIZED, "NOPERM pubsub|channels", null);
		for (int i = 0; i < 20; i++) {
			look();
		}
		assertThat(silent(look())).isEmpty();
		assertThat(look().refusal()).contains("NOPERM");
		this.network.failure = null;
		look();
		assertThat(look().refusal()).isNull();
	}

	@Test
	void forgetsWhomItHeardBeforeNobodyLooked() {
		join("south");
		look();
		assertThat(names(look())).contains("south");
		this.network.frozen = "south";
		pass(Duration.ofSeconds(10));
		assertThat(names(look())).containsExactly("north");
	}

	@Test
	void forgetsWhoHasBeenSilentForLong() {
		join("south");
		look();
		this.network.frozen = "south";
		for (int i = 0; i < 145; i++) {
			look();
		}
		assertThat(names(look())).containsExactly("north", "south");
		for (int i = 0; i < 10; i++) {
			look();
		}
		assertThat(names(look())).containsExactly("north");
	}

	@Test
	void forgetsWhoHasLeftInOrder() {
		RollCall south = join("south");
		join("east");
		look();
		assertThat(names(look())).containsExactly("east", "north", "south");
		south.leave().join();
		this.network.deliver();
		assertThat(names(this.north.call())).containsExactly("east", "north");
		look();
		assertThat(names(look())).as("answers no more").containsExactly("east", "north");
		south.comeBack();
		look();
		assertThat(names(look())).containsExactly("east", "north", "south");
	}

	@Test
	void leavesWithoutAWordWhenNobodyHasCalledLately() {
		RollCall south = join("south");
		look();
		pass(Duration.ofSeconds(8));
		int before = this.network.sent;
		south.leave().join();
		assertThat(this.network.sent).isEqualTo(before);
	}

	@Test
	void leavesThoughNobodyCanBeTold() {
		RollCall south = join("south");
		look();
		this.network.failure = new LockBackendException(LockBackendException.NO_LOCK,
				LockBackendException.Reason.UNREACHABLE, "there is no Redis", null);
		int before = this.network.sent;
		assertThat(south.leave()).succeedsWithin(Duration.ZERO);
		assertThat(this.network.sent).as("tried").isEqualTo(before + 1);
	}

	@Test
	void doesNotHoldUpTheShutdownWhereNothingIsConfirmed() {
		this.network.stuck = true;
		LockMonitor monitor = mock();
		try (RollCalls calls = new RollCalls(Map.of(monitor, backend("south")), (any) -> report("south"))) {
			calls.start();
			this.north.call();
			this.network.deliver();
			CompletableFuture<Void> stopped = new CompletableFuture<>();
			calls.stop(() -> stopped.complete(null));
			assertThat(stopped).succeedsWithin(Duration.ofSeconds(10));
			assertThat(calls.isRunning()).isFalse();
		}
	}

	@Test
	void passesOverWhatItDoesNotUnderstand() {
		this.north.call();
		this.network.send("north", "report {\"id\":1");
		this.network.send("north", "report {\"id\":\"x\",\"instance\":\"later version\"}");
		this.network.send("north", "something else");
		this.network.deliver();
		assertThat(names(this.north.call())).containsExactly("north");
	}

	@Test
	void readsTheReportsOfOlderVersionsAndOfLaterOnes() {
		String older = """
				report {"id":"1","instance":"older","upMillis":1,"held":2,"waiting":3,"longestWaitMillis":4,\
				"longestHoldMillis":5,"lost":6}""";
		this.north.call();
		this.network.send("north", older);
		this.network.send("north", older.replace("older", "later").replace("\"1\"", "\"2\",\"new\":[{\"more\":1}]"));
		this.network.deliver();
		RollCall.Roll roll = this.north.call();
		assertThat(names(roll)).containsExactly("later", "north", "older");
		assertThat(roll.instances().get(2).report())
			.isEqualTo(new InstanceReport("1", "older", null, 1, 2, 3, 4, 5, 6, List.of()));
	}

	@Test
	void showsThisInstanceWhereThereAreNoMessages() {
		LockBackend alone = mock();
		given(alone.clientId()).willReturn("alone");
		given(alone.messages()).willReturn(ClientMessages.NONE);
		RollCall.Roll roll = new RollCall(alone, () -> report("alone"), Runnable::run, this.nanoTime::get).call();
		assertThat(names(roll)).containsExactly("alone");
		assertThat(roll.refusal()).contains("does not support messages");
	}

	private RollCall.Roll look() {
		RollCall.Roll roll = this.north.call();
		this.network.deliver();
		pass(Duration.ofSeconds(2));
		return roll;
	}

	private void pass(Duration time) {
		this.nanoTime.addAndGet(time.toNanos());
	}

	private static List<String> names(RollCall.Roll roll) {
		return roll.instances().stream().map((answer) -> answer.report().instance()).toList();
	}

	private static List<String> silent(RollCall.Roll roll) {
		return roll.instances()
			.stream()
			.filter(RollCall.Answer::silent)
			.map((answer) -> answer.report().instance())
			.toList();
	}

	private static InstanceReport report(String name) {
		return new InstanceReport("id of " + name, name, null, 1000, 2, 3, 4000, 5000, 6,
				List.of(new InstanceReport.Wait("order:42", "order", "shipper", 4000)));
	}

	private RollCall join(String name) {
		return new RollCall(backend(name), () -> report(name), Runnable::run, this.nanoTime::get);
	}

	private LockBackend backend(String name) {
		LockBackend backend = mock();
		given(backend.clientId()).willReturn(name);
		given(backend.messages()).willReturn(this.network.of(name));
		return backend;
	}

	/**
	 * Passes messages on when it is told to.
	 */
	private static final class Network {

		private final List<String> names = new ArrayList<>();

		private final List<Consumer<String>> listeners = new ArrayList<>();

		private List<Runnable> undelivered = new ArrayList<>();

		private @Nullable String frozen;

		private @Nullable Throwable failure;

		/** Whether nothing that is sent is ever confirmed. */
		private boolean stuck;

		private int sent;

		void send(String to, String text) {
			this.undelivered.add(() -> {
				if (!to.equals(this.frozen)) {
					this.listeners.get(this.names.indexOf(to)).accept(text);
				}
			});
		}

		void deliver() {
			while (!this.undelivered.isEmpty()) {
				List<Runnable> messages = this.undelivered;
				this.undelivered = new ArrayList<>();
				messages.forEach(Runnable::run);
			}
		}

		ClientMessages of(String name) {
			return new ClientMessages() {

				@Override
				public void listen(Consumer<String> listener) {
					Network.this.names.add(name);
					Network.this.listeners.add(listener);
				}

				@Override
				public CompletableFuture<?> broadcast(String text) {
					return sent(Network.this.names, text);
				}

				@Override
				public CompletableFuture<?> send(String client, String text) {
					return sent(List.of(client), text);
				}

			};
		}

		private CompletableFuture<?> sent(List<String> receivers, String text) {
			this.sent++;
			if (this.failure != null) {
				return CompletableFuture.failedFuture(this.failure);
			}
			receivers.forEach((receiver) -> send(receiver, text));
			return this.stuck ? new CompletableFuture<>() : CompletableFuture.completedFuture(null);
		}

	}

}
