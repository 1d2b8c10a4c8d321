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
 * Sees to it that the endpoint of locks is there for the page to ask. The web sees the
 * endpoint itself only if the application exposes it.
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
		boolean asked = endpoint.equals(LOCKS) && exposures.contains(EndpointExposure.WEB)
				&& this.excluded.stream().noneMatch((name) -> name.equals("*") || name.equalsIgnoreCase("locks"));
		return asked ? ConditionOutcome.match(message.because("the page of lock-dashboard asks it")) : null;
	}

}
