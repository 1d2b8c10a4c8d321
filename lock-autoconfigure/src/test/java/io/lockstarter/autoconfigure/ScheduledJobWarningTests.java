package io.lockstarter.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.testing.CapturedLog;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the warning of scheduled methods that several instances may run one after the
 * other.
 */
class ScheduledJobWarningTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.backend=in-memory");

	@Test
	void namesMethodReasonAndRemedyInOneLine() {
		assertThat(warningsOf(Nightly.class)).singleElement()
			.asString()
			.contains(Nightly.class.getName() + ".settle()")
			.contains("if it finishes before another instance's schedule fires, that instance runs it again")
			.contains("Set holdAtLeast")
			.contains("distributed-lock.warn.scheduled-skip=false")
			.doesNotContain("\n");
	}

	@Test
	void findsJobsWhereverTheAnnotationsAre() {
		assertThat(warningsOf(ByMetaAnnotation.class)).singleElement().asString().contains(".run()");
		assertThat(warningsOf(OnClass.class)).singleElement().asString().contains(".run()");
		assertThat(warningsOf(Implementation.class)).singleElement().asString().contains(".run()");
		assertThat(warningsOf(Repeated.class)).singleElement().asString().contains(".run()");
		assertThat(warningsOf(Inheriting.class)).singleElement().asString().contains(".settle()");
	}

	@Test
	void warnsOnceForEachMethod() {
		try (CapturedLog log = CapturedLog.of("io.lockstarter.aop")) {
			this.application.withBean("one", Nightly.class)
				.withBean("other", Nightly.class)
				.withBean("two", TwoJobs.class)
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(log.lines()).hasSize(3);
		}
	}

	@Test
	void staysSilentWhereTheLockIsKept() {
		assertThat(warningsOf(Kept.class)).isEmpty();
		assertThat(warningsOf(KeptByMetaAnnotation.class)).isEmpty();
		assertThat(warningsOf(KeptByClass.class)).isEmpty();
		assertThat(warningsOf(KeptByAttributeOfMetaAnnotation.class)).isEmpty();
	}

	@Test
	void staysSilentAboutWhatIsNoSuchJob() {
		assertThat(warningsOf(NotScheduled.class)).isEmpty();
		assertThat(warningsOf(OneAfterTheOther.class)).isEmpty();
		assertThat(warningsOf(NotLocked.class)).isEmpty();
	}

	@Test
	void staysSilentWhenToldTo() {
		try (CapturedLog log = CapturedLog.of("io.lockstarter.aop")) {
			this.application.withBean(Nightly.class)
				.withPropertyValues("distributed-lock.warn.scheduled-skip=false")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(log.lines()).isEmpty();
		}
	}

	private List<String> warningsOf(Class<?> job) {
		try (CapturedLog log = CapturedLog.of("io.lockstarter.aop")) {
			this.application.withBean(job).run((context) -> assertThat(context).hasNotFailed());
			return log.lines();
		}
	}

	static class Nightly {

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(name = "settlement", waitTime = "0", onTimeout = OnTimeout.SKIP)
		public void settle() {
		}

	}

	static class Inheriting extends Nightly {

	}

	static class TwoJobs {

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(waitTime = "0", onTimeout = OnTimeout.SKIP)
		public void one() {
		}

		@Scheduled(fixedRate = 1_000_000)
		@DistributedLock(waitTime = "0", onTimeout = OnTimeout.SKIP)
		public void other() {
		}

	}

	static class Repeated {

		@Scheduled(cron = "0 0 3 * * *")
		@Scheduled(cron = "0 0 4 * * *")
		@DistributedLock(waitTime = "0", onTimeout = OnTimeout.SKIP)
		public void run() {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@Scheduled(cron = "0 0 3 * * *")
	@DistributedLock(waitTime = "0", onTimeout = OnTimeout.SKIP)
	@interface Job {

		@AliasFor(annotation = DistributedLock.class, attribute = "holdAtLeast")
		String atLeast() default "";

	}

	static class ByMetaAnnotation {

		@Job
		public void run() {
		}

	}

	static class KeptByAttributeOfMetaAnnotation {

		@Job(atLeast = "30s")
		public void run() {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@Scheduled(cron = "0 0 3 * * *")
	@DistributedLock(waitTime = "0", onTimeout = OnTimeout.SKIP, holdAtLeast = "30s")
	@interface KeptJob {

	}

	static class KeptByMetaAnnotation {

		@KeptJob
		public void run() {
		}

	}

	@DistributedLock(name = "jobs", waitTime = "0", onTimeout = OnTimeout.SKIP)
	static class OnClass {

		@Scheduled(cron = "0 0 3 * * *")
		public void run() {
		}

		public void runByHand() {
		}

	}

	@DistributedLock(name = "jobs", waitTime = "0", onTimeout = OnTimeout.SKIP, holdAtLeast = "30s")
	static class KeptByClass {

		@Scheduled(cron = "0 0 3 * * *")
		public void run() {
		}

	}

	interface Declared {

		@DistributedLock(name = "jobs", waitTime = "0", onTimeout = OnTimeout.SKIP)
		void run();

	}

	static class Implementation implements Declared {

		@Override
		@Scheduled(cron = "0 0 3 * * *")
		public void run() {
		}

	}

	static class Kept {

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(waitTime = "0", onTimeout = OnTimeout.SKIP, holdAtLeast = "30s")
		public void run() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(waitTime = "0", onTimeout = OnTimeout.SKIP, holdAtLeast = "${jobs.at-least:30s}")
		public void runAsConfigured() {
		}

		@Scheduled(fixedDelay = 1_000_000)
		@DistributedLock(waitTime = "0", onTimeout = OnTimeout.SKIP, holdAtLeast = "0")
		public void runOnPurpose() {
		}

	}

	static class NotScheduled {

		@DistributedLock(waitTime = "0", onTimeout = OnTimeout.SKIP)
		public void run() {
		}

	}

	static class OneAfterTheOther {

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock
		public void run() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(waitTime = "0", fallback = "missed")
		public void runOrTell() {
		}

		void missed() {
		}

	}

	static class NotLocked {

		@Scheduled(cron = "0 0 3 * * *")
		public void run() {
		}

		@DistributedLock(waitTime = "0", onTimeout = OnTimeout.SKIP)
		public void other() {
		}

	}

}
