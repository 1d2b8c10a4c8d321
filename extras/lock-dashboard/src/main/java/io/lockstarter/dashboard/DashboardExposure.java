package io.lockstarter.dashboard;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.EndpointExposureOutcomeContributor;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Contributor that makes the endpoint {@code locks} available to the page. The endpoint
 * itself has a web address only if the application exposes it.
 */
final class DashboardExposure implements EndpointExposureOutcomeContributor {

	private static final EndpointId LOCKS = EndpointId.of("locks");

	private final Set<String> excluded;

	DashboardExposure(Environment environment) {
		this.excluded = Binder.get(environment)
			.bind("management.endpoints.web.exposure.exclude", Bindable.setOf(String.class))
			.orElse(Set.of());
	}

	@Override
	public @Nullable ConditionOutcome getExposureOutcome(EndpointId endpoint, Set<EndpointExposure> exposures,
			ConditionMessage.Builder message) {
		boolean required = endpoint.equals(LOCKS) && exposures.contains(EndpointExposure.WEB)
				&& this.excluded.stream().noneMatch((name) -> name.equals("*") || name.equalsIgnoreCase("locks"));
		return required ? ConditionOutcome.match(message.because("the page of lock-dashboard uses it")) : null;
	}

}
