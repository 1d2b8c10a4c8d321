package io.lockstarter.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockMonitor.Health;
import io.lockstarter.core.LockMonitor.HolderSnapshot;
import io.lockstarter.core.LockMonitor.LockSnapshot;
import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.dashboard.ClusterWatch.Snapshot;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * Tests of instances with open pages, whose clock and messages the test controls.
 */
class ClusterWatchTests {

	private static final Duration STEP = Duration.ofMillis(50);

	private final List<Task> tasks = new ArrayList<>();

	private final Network network = new Network();

	private final Map<String, Reports> reports = new LinkedHashMap<>();

	private final List<String> names = new ArrayList<>();

	private long now = 1;

	private Health health = new Health(true, Map.of());

	private boolean unresponsive;

	private int healthChecks;

	private int listings;

	private int inspections;

	@Test
	void sendsFewCommandsWithManyLocksAndPages() {
		List<ClusterWatch> watches = List.of(join("north"), join("south"), join("east"));
		for (int i = 0; i < 1000; i++) {
			this.reports.get(i % 2 == 0 ? "north" : "south").holds("order:" + i, "worker", 3);
			this.names.add("order:" + i);
		}
		pass(Duration.ofSeconds(10), watches);
		this.network.sent = 0;
		this.healthChecks = 0;
		this.listings = 0;
		this.inspections = 0;
		pass(Duration.ofMinutes(1), watches);
		assertThat(this.network.sent).as("reports").isBetween(85, 92);
		assertThat(this.healthChecks).as("one instance checks on behalf of all, with four commands").isBetween(18, 21);
		assertThat(this.listings).as("with two commands for 2000 keys").isBetween(5, 11);
		assertThat(this.inspections).as("unreported locks").isZero();
		assertThat(watches).allSatisfy((watch) -> assertThat(watch.snapshot().members()).hasSize(3));
		assertThat(watches).allSatisfy((watch) -> assertThat(watch.snapshot().inspection()).isNotNull());
	}

	@Test
	void doesNothingWhileNoPageIsOpen() {
		ClusterWatch north = join("north");
		pass(Duration.ofSeconds(3), List.of(north));
		pass(Duration.ofSeconds(10), List.of());
		this.network.sent = 0;
		this.healthChecks = 0;
		pass(Duration.ofHours(1), List.of());
		assertThat(this.network.sent + this.healthChecks).isZero();
		assertThat(this.tasks).isEmpty();
	}

	@Test
	void inspectsLocksThatNoInstanceReports() {
		ClusterWatch north = join("north");
		this.names.add("foreign");
		pass(Duration.ofSeconds(1), List.of(north));
		assertThat(north.snapshot().inspection()).isNotNull()
			.satisfies((found) -> assertThat(found.locks()).extracting(Inspection.InspectedLock::name)
				.containsExactly("foreign"));
		this.names.clear();
		pass(Duration.ofSeconds(10), List.of(north));
		assertThat(north.snapshot().inspection().locks()).isEmpty();
	}

	@Test
	void notifiesAllWithinFourSecondsIfBackendRefusesWrites() {
		List<ClusterWatch> watches = List.of(join("north"), join("south"));
		pass(Duration.ofSeconds(5), watches);
		this.health = new Health(false, Map.of("error", "OOM command not allowed"));
		pass(Duration.ofMillis(3500), watches);
		assertThat(watches).allSatisfy((watch) -> assertThat(watch.snapshot().inspection())
			.satisfies((found) -> assertThat(found.refusal()).isEqualTo("OOM command not allowed"))
			.satisfies((found) -> assertThat(found.failure()).isNull()));
		this.health = new Health(true, Map.of());
		pass(Duration.ofMillis(3500), watches);
		assertThat(watches).allSatisfy((watch) -> assertThat(watch.snapshot().inspection().refusal()).isNull());
	}

	@Test
	void notifiesAllWithinFourSecondsIfBackendDoesNotReply() {
		List<ClusterWatch> watches = List.of(join("north"), join("south"));
		pass(Duration.ofSeconds(5), watches);
		assertThat(watches).allSatisfy((watch) -> assertThat(watch.snapshot().unresponsiveMillis()).isNull());
		this.unresponsive = true;
		this.network.stuck = true;
		pass(Duration.ofMillis(3500), watches);
		assertThat(watches)
			.allSatisfy((watch) -> assertThat(watch.snapshot().unresponsiveMillis()).isBetween(1000L, 5600L));
		assertThat(watches).allSatisfy(
				(watch) -> assertThat(watch.snapshot().members()).noneMatch(ReportExchange.Member::unresponsive));
		this.unresponsive = false;
		this.network.stuck = false;
		pass(Duration.ofMillis(3500), watches);
		assertThat(watches).allSatisfy((watch) -> assertThat(watch.snapshot().unresponsiveMillis()).isNull());
	}

	/** The page was hidden, or the machine was suspended. */
	@Test
	void ignoresOldInformationWhenPageIsShownAgain() {
		ClusterWatch north = join("north");
		join("south");
		pass(Duration.ofSeconds(5), List.of(north));
		pass(Duration.ofMinutes(5), List.of());
		this.network.frozen = "south";
		north.watch();
		assertThat(north.snapshot().inspection()).isNull();
		assertThat(north.snapshot().unresponsiveMillis()).isNull();
		pass(Duration.ofMillis(300), List.of(north));
		Snapshot snapshot = north.snapshot();
		assertThat(snapshot.unresponsiveMillis()).isNull();
		assertThat(snapshot.inspection()).isNotNull();
		assertThat(snapshot.members()).hasSize(1);
	}

	@Test
	void electsAnotherInspectorIfInspectorIsUnresponsive() {
		List<ClusterWatch> watches = List.of(join("a"), join("b"));
		pass(Duration.ofSeconds(5), watches);
		this.network.frozen = "a";
		this.tasks.removeIf((task) -> task.owner().equals("a"));
		int before = this.healthChecks;
		pass(Duration.ofSeconds(6), List.of(watches.get(1)));
		assertThat(this.healthChecks).isGreaterThan(before);
		assertThat(watches.get(1).snapshot().inspection()).isNotNull();
		assertThat(watches.get(1).snapshot().members()).anyMatch(ReportExchange.Member::unresponsive);
	}

	@Test
	void watchesBackendWithoutMessages() {
		ClusterWatch single = watch("single", ClientMessages.NONE);
		this.names.add("order:42");
		pass(Duration.ofSeconds(5), List.of(single));
		Snapshot snapshot = single.snapshot();
		assertThat(snapshot.roster().subscribed()).isTrue();
		assertThat(snapshot.unresponsiveMillis()).isNull();
		assertThat(snapshot.inspection().locks()).hasSize(1);
	}

	private void pass(Duration time, List<ClusterWatch> watches) {
		long end = this.now + time.toNanos();
		while (this.now < end) {
			if ((this.now / STEP.toNanos()) % (1000 / STEP.toMillis()) == 0) {
				watches.forEach(ClusterWatch::watch);
			}
			run();
			this.network.deliver();
			this.now += STEP.toNanos();
		}
		run();
	}

	private void run() {
		for (Task task = next(); task != null; task = next()) {
			this.tasks.remove(task);
			task.action().run();
		}
	}

	private Task next() {
		return this.tasks.stream()
			.filter((task) -> task.due() <= this.now)
			.min(Comparator.comparingLong(Task::due))
			.orElse(null);
	}

	private ClusterWatch join(String name) {
		return watch(name, this.network.of(name));
	}

	private ClusterWatch watch(String name, ClientMessages messages) {
		this.reports.put(name, Reports.of(name));
		LockBackend backend = mock();
		given(backend.names(anyString(), anyInt())).willAnswer((call) -> {
			this.listings++;
			return reply(new LockBackend.Page(List.copyOf(this.names), ""));
		});
		LockMonitor monitor = mock();
		given(monitor.health()).willAnswer((call) -> {
			this.healthChecks++;
			return this.unresponsive ? CompletableFuture.completedFuture(new Health(false, Map.of("error", "no reply")))
					: CompletableFuture.completedFuture(this.health);
		});
		given(monitor.inspect(anyString())).willAnswer((call) -> {
			this.inspections++;
			return reply(new LockSnapshot(call.getArgument(0),
					List.of(new HolderSnapshot(
							new Holder("quiet/worker", Duration.ofSeconds(9), Duration.ofSeconds(20)), 7, 1,
							Instant.now())),
					0, 0, null));
		});
		ScheduledExecutorService executor = executor(name);
		return new ClusterWatch("id of " + name, messages, () -> this.reports.get(name).report(),
				new BackendInspector(monitor, backend, executor, () -> this.now), executor, () -> this.now);
	}

	private <T> CompletableFuture<T> reply(T reply) {
		return this.unresponsive
				? CompletableFuture.failedFuture(new LockBackendException(LockBackendException.NO_LOCK,
						LockBackendException.Reason.TIMEOUT, "no reply", null))
				: CompletableFuture.completedFuture(reply);
	}

	private ScheduledExecutorService executor(String owner) {
		ScheduledExecutorService executor = mock();
		willAnswer((call) -> this.tasks.add(new Task(owner, this.now, call.getArgument(0)))).given(executor)
			.execute(any());
		given(executor.schedule(any(Runnable.class), anyLong(), any())).willAnswer((call) -> {
			TimeUnit unit = call.getArgument(2);
			this.tasks.add(new Task(owner, this.now + unit.toNanos(call.getArgument(1)), call.getArgument(0)));
			return null;
		});
		return executor;
	}

	/**
	 * Scheduled task of an instance.
	 */
	private record Task(String owner, long due, Runnable action) {
	}

}
