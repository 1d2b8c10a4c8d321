package io.lockstarter.docs;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockstarter.adapter.IntegrationLockRegistry;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.docs.MigrationSnippets.BothProviders;
import io.lockstarter.docs.MigrationSnippets.IntegrationBean;
import io.lockstarter.docs.MigrationSnippets.Jobs;
import io.lockstarter.docs.MigrationSnippets.ShedLockBean;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What docs/migration.md and docs/generated/equivalents.md show of ours compiles and does
 * what they say.
 */
class MigrationGuideTests {

	private static final Page GUIDE = Page.of("docs", "migration.md");

	private static final Page EQUIVALENTS = Page.of("docs", "generated", "equivalents.md");

	private static final String SNIPPETS = Page.source(MigrationSnippets.class);

	/** The second cell of a table's row: what is written with Lock Starter. */
	private static final Pattern OURS = Pattern.compile("(?m)^\\| [^|]+ \\| ([^|]+) \\|$");

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.backend=in-memory");

	/** As the guide says of callers that take several permits with an owner for each. */
	@Test
	void callersThatTakePermitsOneAfterTheOtherBlockEachOther() {
		this.runner.run((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			LockRequest permit = LockRequest.of("desks").permits(2).waitTime(Duration.ZERO);
			LockHandle ofOne = locks.acquire(permit.owner(LockOwner.create("one")));
			LockHandle ofOther = locks.acquire(permit.owner(LockOwner.create("other")));
			assertThat(locks.tryAcquire(permit.owner(LockOwner.create("one, again")))).isEmpty();
			assertThat(locks.tryAcquire(permit.owner(LockOwner.create("other, again")))).isEmpty();
			ofOther.close();
			locks.acquire(permit.owner(LockOwner.create("one, again"))).close();
			ofOne.close();
		});
	}

	@ParameterizedTest
	@MethodSource
	void showsOnlyCodeThatCompiles(String code) {
		assertThat(Page.shows(SNIPPETS, code)).as(code).isTrue();
	}

	static Stream<String> showsOnlyCodeThatCompiles() {
		List<String> inTables = Page.matches(OURS, EQUIVALENTS.text())
			.flatMap((cell) -> Page.matches(CODE, cell))
			.toList();
		assertThat(inTables).hasSizeGreaterThan(20);
		assertThat(GUIDE.lines()).hasSizeGreaterThan(20);
		return Stream.concat(inTables.stream(), GUIDE.lines().distinct());
	}

	/** What these stand for waits for ever, too. */
	@ParameterizedTest
	@ValueSource(strings = { "getMultiLock(a, b).lock()", "lockAndGetToken()", "lock.lockAsync()",
			"lock.lockAsync(threadId)", "executeLocked(\"42\", task)" })
	void waitsAsLongAsWhatItReplaces(String theirs) {
		assertThat(EQUIVALENTS.text().lines().filter((row) -> row.startsWith("|") && row.contains(theirs + "` |")))
			.singleElement()
			.asString()
			.contains("waitTime(LockRequest.FOREVER)");
	}

	@Test
	void saysHowLongALeaseMayBe() {
		this.runner.withUserConfiguration(ShedLockBean.class).run((context) -> {
			LockProvider provider = context.getBean(LockProvider.class);
			assertThatIllegalArgumentException().isThrownBy(() -> provider.lock(configuration(Duration.ofDays(366))));
			provider.lock(configuration(Duration.ofDays(365))).orElseThrow().unlock();
		});
	}

	@Test
	void electsALeaderByTheBeanThatReplacesRedisLockRegistry() {
		this.runner.withUserConfiguration(IntegrationBean.class).run((context) -> {
			IntegrationLockRegistry registry = context.getBean("lockRegistry", IntegrationLockRegistry.class);
			LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(registry);
			try {
				initiator.start();
				await().until(() -> initiator.getContext().isLeader());
			}
			finally {
				initiator.destroy();
			}
		});
	}

	@Test
	void excludesAnAnnotatedMethodByTheProviderThatReplacesShedLocks() {
		this.runner.withUserConfiguration(ShedLockBean.class).withBean(Jobs.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			SimpleLock lock = context.getBean(LockProvider.class).lock(configuration()).orElseThrow();
			assertThat(jobs.settle()).as("while ShedLock has the lock").isNull();
			lock.unlock();
			assertThat(jobs.settle()).isEqualTo("settled");
		});
	}

	@Test
	void extendsTheLockOfAJob() {
		this.runner.withBean(Jobs.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.cleanUp()).isGreaterThan(Duration.ofMinutes(10));
			assertThat(jobs.ship("42") + jobs.bill("43") + jobs.rename("a", "b")).isEqualTo("4243ab");
		});
	}

	@Test
	void takesTheOldAndTheNewLock() {
		this.runner.run((context) -> {
			MigrationSnippets snippets = new MigrationSnippets();
			LockRegistry registry = context.getBean(LockRegistry.class);
			ReentrantLock old = new ReentrantLock();
			snippets.bothLocks(registry, old);
			assertThat(old.isLocked()).isFalse();
			snippets.once(registry).orElseThrow().close();
		});
	}

	@Test
	void takesTheLocksOfBothProvidersOrNone() {
		this.runner.withUserConfiguration(ShedLockBean.class).run((context) -> {
			LockProvider fresh = context.getBean(LockProvider.class);
			ReentrantLock old = new ReentrantLock();
			LockProvider both = new BothProviders((configuration) -> {
				old.lock();
				return Optional.of(old::unlock);
			}, fresh);
			SimpleLock lock = both.lock(configuration()).orElseThrow();
			assertThat(fresh.lock(configuration())).isEmpty();
			assertThat(both.lock(configuration())).isEmpty();
			assertThat(old.getHoldCount()).isOne();
			lock.unlock();
			assertThat(old.isLocked()).isFalse();
			fresh.lock(configuration()).orElseThrow().unlock();
		});
	}

	private static LockConfiguration configuration() {
		return configuration(Duration.ofMinutes(10));
	}

	private static LockConfiguration configuration(Duration atMost) {
		return new LockConfiguration(ClockProvider.now(), "settlement", atMost, Duration.ZERO);
	}

}
