package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.lockstarter.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Methods that Spring calls on a bean itself while it creates or destroys the bean, so
 * that the lock of the proxy is bypassed. An annotation on the class does not apply to
 * them.
 */
final class ContainerCallbacks {

	private static final Map<Class<?>, String> METHODS = Map.of(InitializingBean.class, "afterPropertiesSet",
			DisposableBean.class, "destroy");

	/** Names of annotations, which may be missing from the class path. */
	private static final List<String> ANNOTATIONS = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy");

	private ContainerCallbacks() {
	}

	/** Returns what makes an annotated method a callback, or {@code null}. */
	static @Nullable String find(Method method, Class<?> targetClass) {
		if (method.getParameterCount() > 0 || !isAnnotated(method)) {
			return null;
		}
		MergedAnnotations annotations = MergedAnnotations.from(method);
		return Stream
			.concat(ANNOTATIONS.stream()
				.filter(annotations::isPresent)
				.map((type) -> "@" + type.substring(type.lastIndexOf('.') + 1)),
					METHODS.entrySet()
						.stream()
						.filter((entry) -> entry.getKey().isAssignableFrom(targetClass)
								&& entry.getValue().equals(method.getName()))
						.map((entry) -> entry.getKey().getSimpleName()))
			.findFirst()
			.orElse(null);
	}

	private static boolean isAnnotated(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLock.class);
	}

	/**
	 * Rejects annotated methods that bean definitions name as callbacks.
	 * @throws InvalidLockAnnotationException if there is one
	 */
	static void refuseNamed(ConfigurableListableBeanFactory beanFactory) {
		for (String bean : beanFactory.getBeanDefinitionNames()) {
			if (beanFactory.getMergedBeanDefinition(bean) instanceof AbstractBeanDefinition definition) {
				List<String> named = Stream
					.concat(names(definition.getInitMethodNames()), names(definition.getDestroyMethodNames()))
					.toList();
				Class<?> type = named.isEmpty() ? null : beanFactory.getType(bean, false);
				if (type != null) {
					refuseNamed(type, named);
				}
			}
		}
	}

	private static Stream<String> names(String @Nullable [] methods) {
		return (methods != null)
				? Stream.of(methods).filter((method) -> !method.equals(AbstractBeanDefinition.INFER_METHOD))
				: Stream.empty();
	}

	private static void refuseNamed(Class<?> type, List<String> names) {
		for (AnnotatedMethod annotated : AnnotatedMethod.all(type)) {
			Method method = annotated.method();
			if (method.getParameterCount() == 0 && names.contains(method.getName()) && isAnnotated(method)) {
				throw refusal(method, "the initMethod or destroyMethod of its @Bean");
			}
		}
	}

	static InvalidLockAnnotationException refusal(Method method, String callback) {
		return new InvalidLockAnnotationException(method, "",
				"Spring calls it on the bean itself, because of %s, and it would run without the lock"
					.formatted(callback),
				"annotate a method that is called later, such as that of an ApplicationRunner or an @EventListener",
				null);
	}

}
