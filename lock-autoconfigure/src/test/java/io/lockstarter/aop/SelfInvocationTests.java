package io.lockstarter.aop;

import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.testing.CapturedLog;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Lookup;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls that a bean makes of its own locked methods.
 */
class SelfInvocationTests {

	@Test
	void callsOnThisAreSeenWhateverStandsBetween() {
		assertThat(callers(Caller.class)).containsExactlyInAnyOrder("plain", "wide", "choice", "caught", "inLambda",
				"reference", "looped", "switched", "its constructor", "ship", "inherited", "text", "alias", "anonymous",
				"anonymousInLambda", "lambdaInAnonymous", "Inner.run", "Inner.Innermost.run", "ofSuperclass");
	}

	@Test
	void callsOnOthersAreNot() {
		assertThat(callers(Quiet.class)).isEmpty();
	}

	@Test
	void callsOfDefaultMethodsAreSeen() {
		assertThat(callers(OfDefaultMethods.class)).containsExactlyInAnyOrder("twice", "later");
		assertThat(callers(WithDelegate.class)).isEmpty();
	}

	@Test
	void overrideThatCallsWhatItOverridesIsNone() {
		assertThat(callers(Overriding.class)).containsExactly("inherited");
	}

	@Test
	void knownSourceOfOthersHidesOnlyItsOwnMethod() {
		assertThat(callers(SelfInjected.class)).containsExactly("wrong");
	}

	@Test
	void whatIsLockedByItsInterfaceOrGenericSuperclassIsFound() {
		assertThat(callers(ByInterface.class)).containsExactly("all");
		assertThat(callers(Specific.class)).containsExactly("template");
	}

	@Test
	void beanIsWarnedOfOnce() {
		SelfInvocationWarnings warnings = new SelfInvocationWarnings();
		try (CapturedLog log = CapturedLog.of(SelfInvocationWarnings.class); LockedBeans beans = new LockedBeans()) {
			ByInterface bean = beans.bean(ByInterface.class);
			assertThat(warnings.postProcessAfterInitialization(bean, "one")).isSameAs(bean);
			warnings.postProcessAfterInitialization(bean, "other");
			warnings.postProcessAfterInitialization(
					beans.bean("quiet", WithDelegate.class, () -> new WithDelegate(null)), "quiet");
			warnings.postProcessAfterInitialization(new ByInterface(), "bare");
			assertThat(log.lines()).singleElement()
				.asString()
				.contains(ByInterface.class.getName() + " calls its own locked methods")
				.contains("all calls ship.")
				.contains("distributed-lock.warn.self-invocation=false");
		}
	}

	private static List<String> callers(Class<?> type) {
		return SelfCalls.of(type).toLocked().stream().map(SelfCall::caller).distinct().toList();
	}

	static class Base {

		String inherited() {
			return ship("x");
		}

		@DistributedLock
		public String ship(String id) {
			return id;
		}

	}

	static class Caller extends Base {

		private long sum;

		Caller() {
			ship("made");
		}

		@Override
		@DistributedLock(key = "#id")
		public String ship(String id) {
			return id.isEmpty() ? id : ship(id.substring(1));
		}

		@DistributedLock(key = "#id")
		public long count(long id, double weight, String text) {
			return id;
		}

		public String ship(int number) {
			return "unlocked";
		}

		void plain() {
			ship("x");
		}

		void wide(long[] ids, double weight) {
			this.sum += count(ids[(int) this.sum++]++, weight * 2, "x" + this.sum);
		}

		void choice(boolean one, String a, String b) {
			ship(one ? a : (b != null) ? b : "c");
		}

		void caught() {
			try {
				this.sum = Long.parseLong("x");
			}
			catch (NumberFormatException ex) {
				synchronized (this) {
					ship(ex.getMessage());
				}
			}
		}

		Runnable inLambda(String id) {
			return () -> ship(id);
		}

		Consumer<String> reference() {
			return this::ship;
		}

		void looped(List<String> ids) {
			for (int i = 0; i < 3; i++) {
				for (String id : ids) {
					ship(id + i);
				}
			}
		}

		String switched(String id) {
			return switch (id) {
				case "a" -> ship("b");
				case "c" -> "d";
				default -> throw new IllegalStateException();
			};
		}

		String text() {
			return "sum " + this.sum + ship("x") + 1L;
		}

		void alias() {
			Caller me = this;
			me.ship("x");
		}

		Runnable anonymous(String id) {
			return new Runnable() {

				@Override
				public void run() {
					ship(id);
				}

			};
		}

		Supplier<Runnable> anonymousInLambda() {
			return () -> new Runnable() {

				@Override
				public void run() {
					ship("x");
				}

			};
		}

		Supplier<Runnable> lambdaInAnonymous() {
			return new Supplier<>() {

				@Override
				public Runnable get() {
					return () -> ship("x");
				}

			};
		}

		void ofSuperclass() {
			super.ship("x");
		}

		void unlocked() {
			text();
		}

		void overloaded() {
			ship(1);
		}

		final class Inner {

			void run() {
				ship("x");
			}

			final class Innermost {

				void run() {
					ship("x");
				}

			}

		}

	}

	/** Its calls of locked methods are all on others, or may be. */
	abstract static class Quiet {

		private static Quiet shared;

		private final Quiet[] several = new Quiet[1];

		private Quiet another;

		private ObjectProvider<Quiet> provider;

		private Map<String, Quiet> all;

		@DistributedLock
		public String ship(String id) {
			return id;
		}

		void other(Quiet other) {
			other.ship("x");
		}

		void field() {
			this.another.ship("x");
		}

		void made() {
			new Quiet() {

				@Override
				Quiet self() {
					return this;
				}

			}.ship("x");
		}

		void shared() {
			shared.ship("x");
		}

		void array() {
			this.several[0].ship("x");
		}

		void arrayOfOthers(Quiet... others) {
			others[0].ship("x");
		}

		void provided() {
			this.provider.getObject().ship("x");
		}

		void returned() {
			self().ship("x");
		}

		@Lookup
		abstract Quiet self();

		void bothWays(boolean own) {
			(own ? this : this.another).ship("x");
		}

		void looked(List<Quiet> others) {
			for (Quiet other : others) {
				other.ship("x");
			}
		}

		void each(List<Quiet> others) {
			others.forEach((other) -> other.ship("x"));
			others.stream().map((other) -> other.ship("x")).forEach(this::print);
			this.all.forEach((name, other) -> other.ship(name));
		}

		void print(String text) {
		}

		Consumer<String> referenceOfOther(Quiet other) {
			return other::ship;
		}

		BiFunction<Quiet, String, String> referenceOfAny() {
			return Quiet::ship;
		}

		Runnable lambdaOfOther(Quiet other) {
			return () -> other.ship("x");
		}

		Runnable anonymousOfOther(Quiet other) {
			return new Runnable() {

				@Override
				public void run() {
					other.ship("x");
				}

			};
		}

		Runnable anonymousOfField() {
			return new Runnable() {

				@Override
				public void run() {
					Quiet.this.another.ship("x");
				}

			};
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof Quiet quiet && quiet.ship("x").isEmpty();
		}

		@Override
		public int hashCode() {
			return 1;
		}

		static void main(Quiet quiet) {
			quiet.ship("x");
		}

		static class Nested {

			private final Quiet quiet;

			Nested(Quiet quiet) {
				this.quiet = quiet;
			}

			void run() {
				this.quiet.ship("x");
			}

		}

	}

	static class SelfInjected {

		@Lazy
		private SelfInjected self;

		@DistributedLock
		public void ship() {
		}

		void right() {
			this.self.ship();
		}

		void wrong() {
			ship();
		}

	}

	static class Overriding extends Base {

		@Override
		public String ship(String id) {
			Supplier<String> later = () -> super.ship(id);
			return super.ship(id) + later.get();
		}

	}

	interface Defaults {

		@DistributedLock
		void ship(String id);

		default void twice(String id) {
			ship(id);
			ship(id);
		}

		default Runnable later() {
			return () -> ship("x");
		}

		default void through(Defaults other) {
			other.ship("x");
		}

	}

	static class OfDefaultMethods implements Defaults {

		@Override
		public void ship(String id) {
		}

	}

	static class WithDelegate implements Shipping {

		private final Shipping delegate;

		WithDelegate(Shipping delegate) {
			this.delegate = delegate;
		}

		@Override
		public void ship(String id) {
			this.delegate.ship(id);
		}

	}

	interface Shipping {

		@DistributedLock
		void ship(String id);

	}

	static class ByInterface implements Shipping {

		@Override
		public void ship(String id) {
		}

		void all() {
			ship("x");
		}

	}

	abstract static class Template<T> {

		void template(T value) {
			handle(value);
		}

		abstract void handle(T value);

	}

	static class Specific extends Template<String> {

		@Override
		@DistributedLock
		public void handle(String value) {
		}

	}

}
