package io.lockstarter.autoconfigure;

import java.util.Arrays;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Warning at startup about an adapter that a property enables, but that is not created
 * because the application has another bean of the same type.
 */
final class UnusedAdapterWarning implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(UnusedAdapterWarning.class);

	private final ListableBeanFactory beans;

	private final String property;

	private final Class<?> type;

	private final Class<?> adapter;

	/**
	 * Creates a warning about one adapter.
	 * @param property the name of the property, without {@code distributed-lock.adapter.}
	 * @param type the type of the other library that the adapter implements
	 * @param adapter the type of the adapter
	 */
	UnusedAdapterWarning(ListableBeanFactory beans, String property, Class<?> type, Class<?> adapter) {
		this.beans = beans;
		this.property = property;
		this.type = type;
		this.adapter = adapter;
	}

	@Override
	public void afterSingletonsInstantiated() {
		String[] others = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beans, this.type, true, false);
		if (others.length > 0 && Arrays.stream(others).noneMatch(this::isAdapter)) {
			logger.warn(
					"distributed-lock.adapter.%s=true has no effect, because there is already a bean '%s' of type %s. Remove this bean, or remove the property"
						.formatted(this.property, String.join("', '", others), this.type.getSimpleName()));
		}
	}

	private boolean isAdapter(String name) {
		Class<?> actual = this.beans.getType(name, false);
		return actual != null && this.adapter.isAssignableFrom(actual);
	}

}
