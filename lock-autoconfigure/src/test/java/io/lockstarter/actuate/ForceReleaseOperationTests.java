package io.lockstarter.actuate;

import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

import io.lockstarter.autoconfigure.LockActuateAutoConfiguration;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.event.EventListener;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests of {@link ForceReleaseOperation} over HTTP, on locks in memory.
 */
class ForceReleaseOperationTests {

	private static final String ALLOWED = "distributed-lock.endpoint.force-release=true";

	private static final String WRITABLE = "management.endpoint.locks.access=UNRESTRICTED";

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
				HttpMessageConvertersAutoConfiguration.class, DispatcherServletAutoConfiguration.class,
				WebMvcAutoConfiguration.class, EndpointAutoConfiguration.class, JacksonEndpointAutoConfiguration.class,
				WebEndpointAutoConfiguration.class, ManagementContextAutoConfiguration.class,
				LockAutoConfiguration.class, LockActuateAutoConfiguration.class))
		.withBean(Audit.class)
		.withPropertyValues("management.endpoints.web.exposure.include=locks", "distributed-lock.backend=in-memory",
				"distributed-lock.instance=shop-1");

	/** Take a lock away by its path, and another time by the parameter. */
	private static void withLockHeld(WebApplicationContextRunner prepared, BiConsumer<MvcTestResult, LockHandle> check,
			String name) {
		withLockHeldAt(prepared, check, "/actuator/locks/" + name, "/actuator/locks?name=" + name);
	}

	private static void withLockHeldAt(WebApplicationContextRunner prepared,
			BiConsumer<MvcTestResult, LockHandle> check, String... uris) {
		prepared.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			List<AuditApplicationEvent> audited = context.getBean(Audit.class).events;
			for (String uri : uris) {
				audited.clear();
				LockHandle lock = registry.acquire(LockRequest.of("order:42/7"));
				MvcTestResult answer = MockMvcTester.from(context).delete().uri(uri).exchange();
				check.accept(answer, lock);
				// The end of the application waits for it otherwise.
				context.getBean(LockMonitor.class).forceRelease("order:42/7");
				if (answer.getResponse().getStatus() == 200) {
					assertThat(audited).singleElement().satisfies((event) -> {
						assertThat(event.getAuditEvent().getPrincipal()).isEqualTo("anonymous");
						assertThat(event.getAuditEvent().getType()).isEqualTo(ForceReleaseOperation.AUDIT_TYPE);
						assertThat(event.getAuditEvent().getData()).containsEntry("lock", "order:42/7")
							.hasEntrySatisfying("released", (owners) -> assertThat((List<?>) owners).hasSize(1));
					});
				}
			}
		});
	}

	@Test
	void takesALockAwayAndAuditsIt() {
		withLockHeld(this.runner.withPropertyValues(ALLOWED, WRITABLE), (answer, lock) -> {
			assertThat(answer).hasStatusOk();
			assertThat(answer).bodyJson().extractingPath("name").isEqualTo("order:42/7");
			assertThat(answer).bodyJson().extractingPath("released[0].owner").asString().startsWith("shop-1/");
			assertThat(answer).bodyJson().extractingPath("released[0].remainingLeaseMillis").asNumber().isNotNull();
			await().until(() -> !lock.isValid());
		}, "order:42/7");
	}

	@Test
	void isThereByTheDefaultAccessOfAllEndpointsAsWell() {
		String writable = "management.endpoints.access.default=UNRESTRICTED";
		withLockHeld(this.runner.withPropertyValues(ALLOWED, writable),
				(answer, lock) -> assertThat(answer).hasStatusOk(), "order:42/7");
		withLockHeld(this.runner.withPropertyValues(ALLOWED, writable, "management.endpoint.locks.access=READ_ONLY"),
				(answer, lock) -> assertThat(answer).hasStatus4xxClientError(), "order:42/7");
	}

	@Test
	void findsNothingToTakeAway() {
		withLockHeld(this.runner.withPropertyValues(ALLOWED, WRITABLE), (answer, lock) -> {
			assertThat(answer).hasStatus(404);
			assertThat(lock.isValid()).isTrue();
		}, "order:43");
	}

	@Test
	void wantsToBeToldWhatToTakeAway() {
		withLockHeldAt(this.runner.withPropertyValues(ALLOWED, WRITABLE), (answer, lock) -> {
			assertThat(answer).hasStatus(400);
			assertThat(lock.isValid()).isTrue();
		}, "/actuator/locks");
	}

	@Test
	void takesAwayWhatThePathSaysIfThereIsAParameterAsWell() {
		withLockHeldAt(this.runner.withPropertyValues(ALLOWED, WRITABLE),
				(answer, lock) -> assertThat(answer).hasStatusOk(), "/actuator/locks/order:42/7?name=order:43");
	}

	@Test
	void isNotThereWithoutTheProperty() {
		withLockHeld(this.runner.withPropertyValues(WRITABLE), (answer, lock) -> {
			assertThat(answer).hasStatus4xxClientError();
			assertThat(lock.isValid()).isTrue();
		}, "order:42/7");
	}

	@Test
	void isNotThereWithoutWriteAccess() {
		withLockHeld(this.runner.withPropertyValues(ALLOWED), (answer, lock) -> {
			assertThat(answer).hasStatus4xxClientError();
			assertThat(lock.isValid()).isTrue();
		}, "order:42/7");
	}

	@Test
	void auditsWhatMayHaveBeenDoneWhenTheBackendFails() {
		LockBackendException failure = new LockBackendException("order:42/7", Reason.TIMEOUT, "planted", null);
		LockMonitor monitor = mock();
		given(monitor.forceRelease("order:42/7")).willThrow(failure);
		SecurityContext context = mock();
		Principal operator = () -> "operator";
		given(context.getPrincipal()).willReturn(operator);
		List<Object> published = new ArrayList<>();
		ForceReleaseOperation operation = new ForceReleaseOperation(monitor, published::add);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> operation.release(context, new String[] { "order:42", "7" }, null))
			.isSameAs(failure);
		assertThat(published).singleElement(type(AuditApplicationEvent.class)).satisfies((event) -> {
			assertThat(event.getAuditEvent().getPrincipal()).isEqualTo("operator");
			assertThat(event.getAuditEvent().getType()).isEqualTo(ForceReleaseOperation.FAILURE_AUDIT_TYPE);
			assertThat(event.getAuditEvent().getData()).containsOnly(entry("lock", "order:42/7"),
					entry("failure", failure.toString()));
		});
	}

	static class Audit {

		private final List<AuditApplicationEvent> events = new ArrayList<>();

		@EventListener
		void audited(AuditApplicationEvent event) {
			this.events.add(event);
		}

	}

}
