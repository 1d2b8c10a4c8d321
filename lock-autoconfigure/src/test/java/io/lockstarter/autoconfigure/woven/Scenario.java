package io.lockstarter.autoconfigure.woven;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.aop.InvalidLockAnnotationException;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockWeavingAutoConfiguration;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.CapturedLog;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What must hold in a JVM with a weaver.
 */
public enum Scenario {

	LOCKS_A_CALL_OF_THE_BEAN_ITSELF {

		@Override
		void run() {
			woven((shop, registry) -> assertThat(shop.own("42")).isEqualTo("ship:42"));
		}

	},

	LOCKS_METHODS_THAT_NO_PROXY_REACHES {

		@Override
		void run() {
			woven((shop, registry) -> {
				assertThat(shop.hidden()).isEqualTo("secret");
				assertThat(shop.last()).isEqualTo("last");
				assertThat(Shop.common("42")).isEqualTo("common:42");
			});
		}

	},

	WARNS_OF_A_JOB_THAT_ANOTHER_INSTANCE_MAY_RUN_AGAIN {

		@Override
		void run() {
			try (CapturedLog log = CapturedLog.of("io.lockstarter.aop")) {
				RUNNER.withBean(Shop.Job.class).run((context) -> assertThat(context).hasNotFailed());
				assertThat(log.lines()).singleElement()
					.asString()
					.contains(Shop.Job.class.getName() + ".run() is @Scheduled");
				RUNNER.withPropertyValues("distributed-lock.enabled=false")
					.withBean(Shop.Job.class)
					.run((context) -> assertThat(context).hasNotFailed());
				assertThat(log.lines()).hasSize(1);
			}
		}

	},

	LOCKS_METHODS_BEHIND_A_BRIDGE {

		@Override
		void run() {
			RUNNER.withBean(Shop.Bridged.class)
				.run((context) -> assertThat(context.getBean(Shop.Bridged.class).work()).isEqualTo("hidden"));
		}

	},

	LOCKS_BY_COMPOSED_ANNOTATIONS_AND_THOSE_OF_CLASSES {

		@Override
		void run() {
			woven((shop, registry) -> {
				assertThat(shop.composed()).isEqualTo("composed");
				assertThat(new Shop.Depot().store()).isEqualTo("all");
				assertThat(new Shop.Depot()).hasToString("depot");
			});
		}

	},

	TAKES_EACH_LOCK_ONCE {

		@Override
		void run() {
			List<String> acquired = new ArrayList<>();
			LockListener listener = new LockListener() {

				@Override
				public void acquired(LockHandle lock, Duration waited) {
					acquired.add(lock.name());
				}

			};
			RUNNER.withBean(LockListener.class, () -> listener).withBean(Shop.class).run((context) -> {
				assertThat(context.getBean(Shop.class).getClass()).as("without a proxy").isEqualTo(Shop.class);
				assertThat(context.getBean(Shop.class).ship("42")).isEqualTo("ship:42");
				assertThat(context.getBean(Shop.class).twice("43")).isEqualTo("ship:43");
				assertThat(acquired).containsExactly("ship:42", "ship:43");
				assertThat(context.getBean(LockMonitor.class).heldCount()).isZero();
			});
		}

	},

	HOLDS_UNTIL_A_STAGE_IS_DONE {

		@Override
		void run() {
			woven((shop, registry) -> {
				CompletableFuture<String> result = shop.later();
				await().until(() -> registry.held().size() == 1);
				assertThat(result).isNotDone();
				shop.delivery.complete("delivered");
				assertThat(result).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("delivered");
				await().until(() -> registry.held().isEmpty());
			});
		}

	},

	LOCKS_EACH_SUBSCRIPTION {

		@Override
		void run() {
			woven((shop, registry) -> {
				Mono<String> words = shop.reactive();
				assertThat(registry.held()).isEmpty();
				assertThat(words.block(Duration.ofSeconds(20))).isEqualTo("reactive");
				assertThat(words.block(Duration.ofSeconds(20))).as("again").isEqualTo("reactive");
				CompletableFuture<String> elsewhere = CompletableFuture
					.supplyAsync(() -> words.block(Duration.ofSeconds(20)));
				assertThat(elsewhere).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("reactive");
			});
		}

	},

	SKIPS_OR_FALLS_BACK_WHEN_THE_LOCK_IS_BUSY {

		@Override
		void run() {
			woven((shop, registry) -> {
				LockRequest other = LockRequest.of("busy").owner(LockOwner.create("other"));
				try (LockHandle busy = ((LockRegistry) registry).acquire(other)) {
					assertThat(shop.skipped()).isNull();
					assertThat(shop.answered()).isEqualTo("busy, me");
				}
				assertThat(shop.skipped()).isEqualTo("busy");
				assertThat(shop.answered()).isEqualTo("busy");
			});
		}

	},

	REFUSES_CALLS_WITHOUT_AN_APPLICATION {

		@Override
		void run() {
			assertThatIllegalStateException().isThrownBy(() -> new Shop().ship("42"))
				.withMessageContaining("Shop.ship(String) cannot be locked, and was not run")
				.withMessageContaining("no application context");
			assertThat(new Shop.Depot()).hasToString("depot");
			Shop[] left = new Shop[1];
			woven((shop, registry) -> {
				assertThat(shop.ship("42")).isEqualTo("ship:42");
				left[0] = shop;
			});
			assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> left[0].ship("42"));
		}

	},

	TAKES_THE_LOCK_OF_THE_APPLICATION_THAT_A_BEAN_BELONGS_TO {

		@Override
		void run() {
			woven((one, first) -> woven((two, second) -> {
				LockHandle held = ((LockRegistry) second)
					.acquire(LockRequest.of("busy").owner(LockOwner.create("other")));
				assertThat(one.skipped()).as("in the first").isEqualTo("busy");
				assertThat(two.skipped()).as("in the second").isNull();
				held.close();
				assertThatIllegalStateException().isThrownBy(() -> new Shop().ship("42"))
					.withMessageContaining("2 application contexts are running");
			}));
		}

	},

	RUNS_UNLOCKED_WHERE_LOCKS_ARE_SWITCHED_OFF {

		@Override
		void run() {
			for (String off : List.of("distributed-lock.enabled=false", "distributed-lock.aspect.enabled=false")) {
				RUNNER.withPropertyValues(off)
					.withBean(Shop.class)
					.run((context) -> assertThat(context.getBean(Shop.class).own("42")).isEmpty());
			}
		}

	},

	REFUSES_METHODS_THAT_ARE_NOT_WOVEN {

		@Override
		void run() {
			Map<Class<?>, Class<?>> declaring = Map.of(NotWoven.class, NotWoven.class, Shop.Unseen.class,
					Shop.Unseen.class, Shop.UnseenInheriting.class, Shop.Inherited.class);
			declaring.forEach((bean, type) -> RUNNER.withBean(bean)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(InvalidLockAnnotationException.class)
					.hasMessageContaining(type.getName() + ".run(): AspectJ has not woven the method")));
		}

	},

	REFUSES_SUSPEND_FUNCTIONS {

		@Override
		void run() {
			RUNNER.withBean(Shop.Suspending.class)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(InvalidLockAnnotationException.class)
					.hasMessageContaining(Shop.Suspending.class.getName())
					.hasMessageContaining("a suspend function that AspectJ weaves would return before it has run")
					.hasMessageContaining("use distributed-lock.aspect.mode=proxy, or return a Mono"));
		}

	},

	REFUSES_TO_START_IN_PROXY_MODE {

		@Override
		void run() {
			RUNNER.withPropertyValues("distributed-lock.aspect.mode=proxy")
				.withBean(Shop.Depot.class)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.hasMessageContaining("distributed-lock.aspect.mode is proxy"));
		}

	},

	RELEASES_AFTER_THE_COMMIT_OF_A_PROXY {

		@Override
		void run() {
			List<Integer> committed = new ArrayList<>();
			RUNNER
				.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
						JdbcTemplateAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
						TransactionAutoConfiguration.class))
				.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID())
				.withBean(Accounts.class)
				.withBean(Rows.class, () -> new Rows(committed))
				.run((context) -> {
					JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
					jdbc.execute("create table account (id int)");
					context.getBean(Rows.class).jdbc = jdbc;
					Accounts accounts = context.getBean(Accounts.class);
					assertThat(accounts.getClass()).as("with a proxy").isNotEqualTo(Accounts.class);
					accounts.insert();
					assertThat(committed).as("seen by others at the release").containsExactly(1);
				});
		}

	};

	private static final ApplicationContextRunner RUNNER = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockWeavingAutoConfiguration.class))
		.withPropertyValues("distributed-lock.backend=in-memory", "distributed-lock.aspect.mode=aspectj");

	abstract void run();

	private static void woven(Check check) {
		RUNNER.withBean(Shop.class)
			.run((context) -> check.of(context.getBean(Shop.class), context.getBean(LockMonitor.class)));
	}

	private interface Check {

		void of(Shop shop, LockMonitor registry) throws Exception;

	}

	/**
	 * Counts what others see when a lock is released.
	 */
	private static final class Rows implements LockListener {

		private final List<Integer> counts;

		private JdbcTemplate jdbc;

		Rows(List<Integer> counts) {
			this.counts = counts;
		}

		@Override
		public void released(LockHandle lock, Duration held) {
			this.counts.add(CompletableFuture
				.supplyAsync(() -> this.jdbc.queryForObject("select count(*) from account", Integer.class))
				.join());
		}

	}

}
