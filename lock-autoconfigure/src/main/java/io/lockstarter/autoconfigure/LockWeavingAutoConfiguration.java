package io.lockstarter.autoconfigure;

import io.lockstarter.aop.LockAspect;
import io.lockstarter.aop.ScheduledSkipWarnings;
import io.lockstarter.aop.WovenLocks;
import io.lockstarter.core.LockRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration for annotated methods that AspectJ has woven. It also applies if
 * locks are disabled, because the aspect must not lock then.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnLockFeature(LockFeature.WEAVING)
public final class LockWeavingAutoConfiguration {

	private static final boolean ASPECTJ = ClassUtils.isPresent("org.aspectj.lang.Aspects",
			LockWeavingAutoConfiguration.class.getClassLoader());

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static WovenLocks wovenLocks(ConfigurableBeanFactory beanFactory, ObjectProvider<LockRegistry> registry,
			Environment environment) {
		EarlySettings settings = EarlySettings.of(environment);
		if (!settings.enabled() || !settings.annotatedMethods()) {
			return WovenLocks.off();
		}
		if (!ASPECTJ || !LockAspect.isWoven()) {
			throw new LockSetupException(
					"distributed-lock.aspect.mode is aspectj, but there is no AspectJ weaver that has loaded the aspect"
							+ " io.lockstarter.aop.LockAspect, and annotated methods would run without their locks.",
					"Start the JVM with -javaagent:aspectjweaver.jar and name the aspect in META-INF/aop.xml, or set"
							+ " distributed-lock.aspect.mode=proxy.");
		}
		return WovenLocks.on(beanFactory, registry::getObject, settings.releaseAfterTransaction(),
				LockRegistries.names(beanFactory, environment));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnBooleanProperty(name = { "distributed-lock.enabled", "distributed-lock.aspect.enabled",
			"distributed-lock.warn.scheduled-skip" }, matchIfMissing = true)
	static ScheduledSkipWarnings scheduledSkipWarnings() {
		return ScheduledSkipWarnings.ofWovenBeans();
	}

}
