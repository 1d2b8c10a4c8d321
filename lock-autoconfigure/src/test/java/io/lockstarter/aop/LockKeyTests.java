package io.lockstarter.aop;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockKeyException;
import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockExpressionEvaluator}: which key a call has.
 */
class LockKeyTests {

	private final LockedBeans beans = new LockedBeans();

	private final FakeLockRegistry registry = this.beans.registry;

	private Service service;

	@BeforeEach
	void create() {
		this.beans.bean("tenants", Tenants.class, Tenants::new);
		this.service = this.beans.bean(Service.class);
	}

	@AfterEach
	void close() {
		this.beans.close();
	}

	@Test
	void knowsParametersByNameAndPosition() {
		this.service.mixed("a", 2);
		assertThat(this.registry.lastName()).isEqualTo("Service.mixed:a-2-a");
	}

	@Test
	void knowsPropertiesOfParameters() {
		this.service.order(new Order(new Customer("c1")));
		assertThat(this.registry.lastName()).isEqualTo("Service.order:c1");
	}

	@Test
	void knowsMethodTargetAndArguments() {
		this.service.root("a");
		assertThat(this.registry.lastName()).isEqualTo("Service.root:root/eu/a/a");
	}

	@Test
	void knowsOtherBeans() {
		this.service.bean("a");
		assertThat(this.registry.lastName()).isEqualTo("Service.bean:tenant-of-a");
	}

	@Test
	void selectsAndProjectsOverParameters() {
		this.service.first(List.of(new Customer("c1"), new Customer("c2")));
		assertThat(this.registry.lastName()).isEqualTo("Service.first:c2");
	}

	@Test
	void acceptsFixedText() {
		this.service.fixed();
		assertThat(this.registry.lastName()).isEqualTo("Service.fixed:nightly");
	}

	@Test
	void tellsNameAndKeyApartByTheFirstColonThatIsNotEscaped() {
		this.service.colonInName("c");
		assertThat(this.registry.lastName()).isEqualTo("a\\:b\\\\:c");
		assertThat(this.registry.lastRequest().metricName()).isEqualTo("a:b\\");
		this.service.colonInKey("b\\:c");
		assertThat(this.registry.lastName()).isEqualTo("a:b\\:c");
		this.service.colonInNameOnly();
		assertThat(this.registry.lastName()).isEqualTo("a\\:b");
	}

	@ParameterizedTest
	@MethodSource("simpleValues")
	void makesTextOfSimpleValues(Object value, String text) {
		this.service.any(value);
		assertThat(this.registry.lastName()).isEqualTo("Service.any:" + text);
	}

	static Stream<Arguments> simpleValues() throws Exception {
		UUID uuid = UUID.randomUUID();
		return Stream.of(Arguments.of("text", "text"), Arguments.of(new StringBuilder("built"), "built"),
				Arguments.of(" ", " "), Arguments.of(42L, "42"), Arguments.of(true, "true"), Arguments.of('c', "c"),
				Arguments.of(new BigDecimal("1.50"), "1.5"), Arguments.of(new BigDecimal("5.00"), "5"),
				Arguments.of(new BigDecimal("5.0"), "5"), Arguments.of(new BigDecimal("0.00"), "0"),
				Arguments.of(new BigDecimal("1E+2"), "100"), Arguments.of(new BigDecimal("10E+1000000"), "1E+1000001"),
				Arguments.of("é".repeat(512), "é".repeat(512)), Arguments.of(uuid, uuid.toString()),
				Arguments.of(LocalDate.of(2026, 1, 2), "2026-01-02"), Arguments.of(TimeUnit.SECONDS, "SECONDS"),
				Arguments.of(Shown.ONE, "ONE"), Arguments.of(new Date(0), "1970-01-01T00:00:00Z"),
				Arguments.of(Locale.GERMANY, "de_DE"),
				Arguments.of(TimeZone.getTimeZone("Europe/Paris"), "Europe/Paris"),
				Arguments.of(InetAddress.getByAddress("host", new byte[] { 10, 0, 0, 1 }), "10.0.0.1"),
				Arguments.of(String.class, "java.lang.String"));
	}

	@ParameterizedTest
	@MethodSource("refusedValues")
	void refusesValuesThatMakeNoKey(Object value, String problem) {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.service.any(value))
			.withMessageStartingWith("The key \"#value\" of @DistributedLock on method " + Service.class.getName()
					+ ".any(Object) " + problem)
			.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo("Service.any"));
		assertThat(this.registry.requests).isEmpty();
		assertThat(this.service.runs).isZero();
	}

	static Stream<Arguments> refusedValues() {
		return Stream.of(
				Arguments.of(null,
						"is null for this call. All calls whose key is null would wait for the same lock, although"
								+ " they may be unrelated: check the argument before the call"),
				Arguments.of("", "is empty for this call. All calls whose key is empty would wait for the same lock"),
				Arguments.of("x".repeat(1025), "has a text of 1025 bytes for this call, and may have 1024; use a"),
				Arguments.of("é".repeat(513), "has a text of 1026 bytes for this call"),
				Arguments.of(List.of("a", "x".repeat(2000)), "has a text of 2000 bytes for this call"),
				Arguments.of(new byte[] { 1, 2 }, "is a byte[] for this call; use a text that is made of it"),
				Arguments.of(new Byte[] { 1 }, "is a Byte[] for this call; use a text that is made of it"),
				Arguments.of(List.of(new byte[0]), "has a byte[] among its values for this call"),
				Arguments.of(List.of(), "is an empty ListN for this call, and would lock nothing"),
				Arguments.of(new String[0], "is an empty String[] for this call, and would lock nothing"),
				Arguments.of(Arrays.asList("a", null), "is null for this call"),
				Arguments.of(List.of("a", ""), "is empty for this call"),
				Arguments.of(List.of("a", List.of("b")),
						"has a List12 among its values for this call; each must be simple"),
				Arguments.of(new int[][] { { 1 } }, "has a int[] among its values for this call; each must be simple"),
				Arguments.of(List.of("a", new Customer("c1")), "is a " + Customer.class.getName() + " for this call"),
				Arguments.of(Map.of("a", "b"), "is a java.util.ImmutableCollections$Map1 for this call"),
				Arguments.of(Optional.of("a"), "is a java.util.Optional for this call, which has no text"),
				Arguments.of(new Customer("c1"),
						"is a " + Customer.class.getName() + " for this call, which has no text"),
				Arguments.of(new Object(), "is a java.lang.Object for this call, which has no text"),
				Arguments.of(new Nameless(), "is a " + Nameless.class.getName() + " for this call, which has no text"));
	}

	@ParameterizedTest
	@MethodSource("severalValues")
	void takesLocksOfAllValues(Object value, List<String> texts) {
		this.service.any(value);
		assertThat(this.registry.requests).extracting(LockRequest::name)
			.containsExactlyElementsOf(texts.stream().map((text) -> "Service.any:" + text).toList());
		assertThat(this.registry.requests).extracting(LockRequest::metricName).containsOnly("Service.any");
	}

	static Stream<Arguments> severalValues() {
		return Stream.of(Arguments.of(List.of("a", 2), List.of("a", "2")), Arguments.of(Set.of("a"), List.of("a")),
				Arguments.of(new String[] { "b", "a" }, List.of("b", "a")),
				Arguments.of(new int[] { 1, 2 }, List.of("1", "2")),
				Arguments.of(List.of("a", "b", "a"), List.of("a", "b")),
				Arguments.of(List.of("a, b", "c"), List.of("a, b", "c")), Arguments.of(Path.of("x/y"), List.of("x/y")));
	}

	@Test
	void takesLocksOfInlineList() {
		this.service.both("x", "y");
		assertThat(this.registry.requests).extracting(LockRequest::name)
			.containsExactly("Service.both:x", "Service.both:y");
	}

	@Test
	void refusesKeyThatCannotBeEvaluated() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.service.order(new Order(null)))
			.withMessageContaining("#order.customer.id")
			.withMessageContaining("Service.order(Order)")
			.withMessageContaining("cannot be evaluated")
			.withMessageContaining("check the arguments for null")
			.havingCause()
			.withMessageContaining("'id' cannot be found on null");
		assertThat(this.registry.requests).isEmpty();
	}

	@Test
	void parsesExpressionOnceForAllCalls() throws Exception {
		LockAttributeSource source = new LockAttributeSource(new LockEnvironment((text) -> text,
				CallerTransaction.IGNORED, new ProxyInterceptionCheck((type) -> true), Set.of(), () -> null));
		var method = Service.class.getMethod("any", Object.class);
		assertThat(source.find(method, Service.class).key().expression())
			.isSameAs(source.find(method, Service.class).key().expression());
	}

	record Customer(String id) {
	}

	record Order(Customer customer) {
	}

	static class Tenants {

		public String of(String id) {
			return "tenant-of-" + id;
		}

	}

	enum Shown {

		ONE;

		@Override
		public String toString() {
			return "shown to people";
		}

	}

	@SuppressWarnings("serial")
	static class Nameless extends Number {

		@Override
		public int intValue() {
			return 0;
		}

		@Override
		public long longValue() {
			return 0;
		}

		@Override
		public float floatValue() {
			return 0;
		}

		@Override
		public double doubleValue() {
			return 0;
		}

	}

	static class Service {

		int runs;

		public String getRegion() {
			return "eu";
		}

		@DistributedLock(key = "#first + '-' + #p1 + '-' + #a0")
		public void mixed(String first, int second) {
		}

		@DistributedLock(key = "#order.customer.id")
		public void order(Order order) {
		}

		@DistributedLock(key = "#root.method.name + '/' + #root.target.region + '/' + #root.args[0] + '/' + args[0]")
		public void root(String first) {
		}

		@DistributedLock(key = "@tenants.of(#id)")
		public void bean(String id) {
		}

		@DistributedLock(key = "#customers.?[id != 'c1'].![id][0]")
		public void first(List<Customer> customers) {
		}

		@DistributedLock(key = "{#from, #to}")
		public void both(String from, String to) {
		}

		@DistributedLock(key = "'nightly'")
		public void fixed() {
		}

		@DistributedLock(name = "a:b\\", key = "#id")
		public void colonInName(String id) {
		}

		@DistributedLock(name = "a", key = "#id")
		public void colonInKey(String id) {
		}

		@DistributedLock(name = "a:b")
		public void colonInNameOnly() {
		}

		@DistributedLock(key = "#value")
		public void any(Object value) {
			this.runs++;
		}

	}

}
