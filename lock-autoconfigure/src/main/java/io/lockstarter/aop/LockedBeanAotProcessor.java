package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.lockstarter.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.GenericTypeResolver;
import org.springframework.util.ClassUtils;

/**
 * Processor of runtime hints for one bean's annotations: for fallbacks, and for the
 * properties of arguments that keys read.
 */
class LockedBeanAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
		List<AnnotatedMethod> locked = AnnotatedMethod.all(type);
		return locked.isEmpty() ? null : new Contribution(type, locked);
	}

	/**
	 * Hints of one bean.
	 */
	private record Contribution(Class<?> type,
			List<AnnotatedMethod> methods) implements BeanRegistrationAotContribution {

		@Override
		public void applyTo(GenerationContext generation, BeanRegistrationCode code) {
			ReflectionHints hints = generation.getRuntimeHints().reflection();
			this.methods.forEach((method) -> register(method, hints));
		}

		private void register(AnnotatedMethod annotated, ReflectionHints hints) {
			Method method = annotated.method();
			DistributedLock annotation = annotated.annotation().synthesize();
			if (!annotation.fallback().isEmpty()) {
				Method fallback = new FallbackFinder(method, this.type).find(annotation.fallback()).method();
				hints.registerMethod(fallback, ExecutableMode.INVOKE);
			}
			if (!annotation.key().isEmpty() || !annotation.condition().isEmpty()) {
				new BindingReflectionHintsRegistrar().registerReflectionHints(hints, parameterTypes(method));
				KotlinFunctions.valueClasses(method)
					.stream()
					.filter(Objects::nonNull)
					.forEach((type) -> hints.registerType(type, MemberCategory.INVOKE_DECLARED_METHODS));
			}
		}

		private Type[] parameterTypes(Method method) {
			return Arrays.stream(method.getGenericParameterTypes())
				.map((parameter) -> GenericTypeResolver.resolveType(parameter, this.type))
				.toArray(Type[]::new);
		}

	}

}
