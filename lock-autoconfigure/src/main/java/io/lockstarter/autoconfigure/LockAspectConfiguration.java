package io.lockstarter.autoconfigure;

import io.lockstarter.aop.AdviceOrderWarnings;
import io.lockstarter.aop.LockAdvisor;
import io.lockstarter.aop.LockAspect;
import io.lockstarter.aop.ScheduledSkipWarnings;
import io.lockstarter.aop.SelfInvocationWarnings;
import io.lockstarter.core.LockRegistry;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Configuration of annotated methods that are called through proxies. Each context of a
 * hierarchy has its own advisor, which finds the beans that keys name. The advisor hides
 * that of the parent context, which has the same name, so that each lock is acquired
 * once.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLockFeature(LockFeature.PROXIES)
@ConditionalOnMissingBean(value = LockAdvisor.class, search = SearchStrategy.CURRENT)
@Import(LockAspectConfiguration.AutoProxyRegistrar.class)
class LockAspectConfiguration {

	private static final boolean ASPECTJ = ClassUtils.isPresent("org.aspectj.lang.Aspects",
			LockAspectConfiguration.class.getClassLoader());

	/**
	 * Advisors are created before most other beans, so this one resolves the registry
	 * later and reads its settings from the environment.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockAdvisor lockAdvisor(ConfigurableBeanFactory beanFactory, ObjectProvider<LockRegistry> registry,
			Environment environment) {
		if (ASPECTJ && LockAspect.isWoven()) {
			throw new LockSetupException(
					"AspectJ weaves %s into annotated methods, but distributed-lock.aspect.mode is proxy."
						.formatted(LockAspect.class.getName()),
					"Set distributed-lock.aspect.mode=aspectj, or remove the aspect from META-INF/aop.xml.");
		}
		EarlySettings settings = EarlySettings.of(environment);
		return new LockAdvisor(beanFactory, registry::getObject, settings.order(), settings.releaseAfterTransaction(),
				LockRegistries.names(beanFactory, environment));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnBooleanProperty(name = "distributed-lock.warn.self-invocation", matchIfMissing = true)
	static SelfInvocationWarnings selfInvocationWarnings() {
		return new SelfInvocationWarnings();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnBooleanProperty(name = "distributed-lock.warn.advice-order", matchIfMissing = true)
	static AdviceOrderWarnings adviceOrderWarnings(ConfigurableBeanFactory beanFactory) {
		return new AdviceOrderWarnings(beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnBooleanProperty(name = "distributed-lock.warn.scheduled-skip", matchIfMissing = true)
	static ScheduledSkipWarnings scheduledSkipWarnings() {
		return ScheduledSkipWarnings.ofProxies();
	}

	/**
	 * Registrar of the proxy creator, even if {@code spring.aop.auto} is disabled and no
	 * other advice needs proxies.
	 */
	static class AutoProxyRegistrar implements ImportBeanDefinitionRegistrar {

		private final Environment environment;

		AutoProxyRegistrar(Environment environment) {
			this.environment = environment;
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
			if (this.environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true)) {
				AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
			}
		}

	}

}
