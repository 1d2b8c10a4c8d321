package io.lockstarter.testing;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

class SecondTryTests {

	private final Standstills standstills = new Standstills();

	private Duration stolen = Duration.ofDays(1);

	private final String test = UUID.randomUUID().toString();

	@Test
	void failsAtOnceWhatFailedWithoutAStandstill() {
		Throwable failure = new AssertionError("wrong");
		run(failure);
		assertThatThrownBy(() -> run(null)).hasCause(failure);
		assertThatThrownBy(() -> run(null)).hasCause(failure);
	}

	@Test
	void runsAgainWhatFailedDuringAStandstill() {
		ExtensionContext context = context(new AssertionError("late"));
		SecondTry extension = new SecondTry(this.standstills, () -> this.stolen);
		extension.beforeEach(context);
		long now = System.nanoTime();
		this.standstills.looked(now, now + SecondTry.EXCUSE.toNanos());
		while (System.nanoTime() < now + SecondTry.EXCUSE.toNanos()) {
			Thread.onSpinWait();
		}
		extension.afterEach(context);
		assertThatCode(() -> run(null)).doesNotThrowAnyException();
	}

	@Test
	void runsAgainWhatFailedWhileTimeWasStolen() {
		failDuringATheft(context(new AssertionError("late")));
		assertThatCode(() -> run(null)).doesNotThrowAnyException();
	}

	@Test
	void failsAtOnceWhateverHasOneTry() throws Exception {
		ExtensionContext context = context(new AssertionError("two at a time"));
		given(context.getElement()).willReturn(Optional.of(Marked.class.getDeclaredMethod("once")));
		failDuringATheft(context);
		assertThatThrownBy(() -> run(null)).hasRootCauseMessage("two at a time");
	}

	@Test
	void failsAtOnceWhateverIsInAClassThatHasOneTry() {
		ExtensionContext context = context(new AssertionError("two at a time"));
		given(context.getTestClass()).willReturn(Optional.of(Marked.class));
		failDuringATheft(context);
		assertThatThrownBy(() -> run(null)).hasRootCauseMessage("two at a time");
	}

	@Test
	void runsAgainWhateverDidNotFail() {
		run(null);
		run(new TestAbortedException("no engine"));
		assertThatCode(() -> run(null)).doesNotThrowAnyException();
	}

	private void failDuringATheft(ExtensionContext context) {
		SecondTry extension = new SecondTry(this.standstills, () -> this.stolen);
		extension.beforeEach(context);
		this.stolen = this.stolen.plus(SecondTry.EXCUSE);
		extension.afterEach(context);
	}

	private void run(@Nullable Throwable failure) {
		ExtensionContext context = context(failure);
		SecondTry extension = new SecondTry(this.standstills, () -> this.stolen);
		extension.beforeEach(context);
		extension.afterEach(context);
	}

	private ExtensionContext context(@Nullable Throwable failure) {
		ExtensionContext context = mock(ExtensionContext.class);
		ExtensionContext.Store store = mock(ExtensionContext.Store.class);
		Map<Object, Object> values = new HashMap<>();
		given(context.getUniqueId()).willReturn(this.test);
		given(context.getExecutionException()).willReturn(Optional.ofNullable(failure));
		given(context.getStore(any())).willReturn(store);
		given(store.get(any(), any())).willAnswer((call) -> values.get(call.getArgument(0)));
		willAnswer((call) -> values.put(call.getArgument(0), call.getArgument(1))).given(store).put(any(), any());
		return context;
	}

	@OneTry
	static class Marked {

		@OneTry
		void once() {
		}

	}

}
