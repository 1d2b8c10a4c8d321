package io.lockstarter.autoconfigure;

import java.time.Duration;

import io.lockstarter.core.Credentials;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Check for properties that are not valid durations, or have no unit. Spring Boot would
 * interpret 10 as 10 ms.
 */
final class DurationPropertyCheck implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("distributed-lock");

	@Override
	public BindHandler apply(BindHandler handler) {
		return handler(handler);
	}

	/**
	 * Returns a handler that checks durations while they are bound.
	 * @param next the handler of everything else
	 */
	static BindHandler handler(BindHandler next) {
		return new AbstractBindHandler(next) {

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				String text = isChecked(name, target) ? text(name, context) : null;
				if (text != null && text.matches("[+-]?\\d+") && !text.equals("0")) {
					throw refusal(name, text);
				}
				return super.onSuccess(name, target, context, result);
			}

			@Override
			public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Exception error) throws Exception {
				String text = isChecked(name, target) ? text(name, context) : null;
				if (text != null) {
					throw refusal(name, text);
				}
				return super.onFailure(name, target, context, error);
			}

		};
	}

	private static boolean isChecked(ConfigurationPropertyName name, Bindable<?> target) {
		return PREFIX.isAncestorOf(name) && target.getType().resolve() == Duration.class;
	}

	/** Returns the value as it is set, or {@code null} if it is not set or not a text. */
	private static @Nullable String text(ConfigurationPropertyName name, BindContext context) {
		return context.getBinder().bind(name, Bindable.of(String.class)).map(String::strip).orElse(null);
	}

	private static LockPropertyException refusal(ConfigurationPropertyName name, String text) {
		return new LockPropertyException(
				"%s must be a number with its unit, such as 10s or 500ms, or an ISO 8601 duration, such as PT10S, but is '%s'"
					.formatted(name, Credentials.masked(text)),
				name.subName(PREFIX.getNumberOfElements()).toString());
	}

}
