package io.lockstarter.aop;

import java.math.BigDecimal;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockKeyException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockExpressionEvaluator}: how many permits the lock of a call has.
 */
class LockPermitsTests {

	private final LockedBeans beans = new LockedBeans();

	private final FakeLockRegistry registry = this.beans.registry;

	private Service service;

	@BeforeEach
	void create() {
		this.service = this.beans.bean(Service.class);
	}

	@AfterEach
	void close() {
		this.beans.close();
	}

	private LockRequest lastRequest() {
		return this.registry.requests.get(this.registry.requests.size() - 1);
	}

	@Test
	void hasOneWithoutTheAttribute() {
		this.service.plain();
		assertThat(lastRequest().permits()).isOne();
	}

	@Test
	void takesANumber() {
		this.service.constant();
		assertThat(lastRequest().permits()).isEqualTo(4);
		assertThat(lastRequest().type()).isEqualTo(LockType.FAIR);
	}

	@Test
	void resolvesPlaceholdersFirst() {
		this.service.placeholder();
		assertThat(lastRequest().permits()).isEqualTo(3);
	}

	@Test
	void computesThemFromArguments() {
		this.service.computed("acme", 7);
		assertThat(lastRequest().permits()).isEqualTo(7);
		assertThat(lastRequest().name()).isEqualTo("Service.computed:acme");
		this.service.computed("acme", 8L);
		assertThat(lastRequest().permits()).isEqualTo(8);
		this.service.computed("acme", new BigDecimal("9.0"));
		assertThat(lastRequest().permits()).isEqualTo(9);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1 })
	void refusesLessThanOne(int number) {
		refuses(number, "is %d for the call that needs [Service.computed:acme]".formatted(number));
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = "4")
	void refusesWhatIsNoNumber(@Nullable Object value) {
		refuses(value, "is %s for the call".formatted(value));
	}

	@ParameterizedTest
	@ValueSource(doubles = { 1.5, Double.NaN, 1e20 })
	void refusesWhatIsNotWhole(double value) {
		refuses(value, "is %s for the call".formatted(value));
	}

	private void refuses(@Nullable Object value, String told) {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.service.computed("acme", value))
			.withMessageContaining("The permits \"#parallelism\" of @DistributedLock on method ")
			.withMessageContaining("Service.computed")
			.withMessageContaining(told)
			.withMessageContaining("must be a whole number of at least 1");
		assertThat(this.registry.requests).isEmpty();
	}

	static class Service {

		@DistributedLock
		public void plain() {
		}

		@DistributedLock(permits = "4", type = LockType.FAIR)
		public void constant() {
		}

		@DistributedLock(permits = "${report.parallel:3}")
		public void placeholder() {
		}

		@DistributedLock(key = "#tenant", permits = "#parallelism")
		public void computed(String tenant, @Nullable Object parallelism) {
		}

	}

}
