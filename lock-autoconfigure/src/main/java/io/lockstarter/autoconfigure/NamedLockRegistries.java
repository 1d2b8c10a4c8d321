package io.lockstarter.autoconfigure;

import io.lockstarter.autoconfigure.DistributedLockProperties.Backend;
import io.lockstarter.autoconfigure.DistributedLockProperties.Registry;
import io.lockstarter.autoconfigure.LockStartupReport.Findings;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.Registries;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import io.lockstarter.observation.SlowLockWarnings;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Factory of the beans of further registries. Such a bean is injected only where a
 * qualifier names its registry.
 */
final class NamedLockRegistries {

	private static final String BEAN_NAME = "namedLockRegistries";

	private final BeanFactory beans;

	private final LockRegistryFactory factory;

	private final DistributedLockProperties properties;

	private final ConfigurableApplicationContext context;

	NamedLockRegistries(BeanFactory beans, LockRegistryFactory factory, DistributedLockProperties properties,
			ConfigurableApplicationContext context) {
		this.beans = beans;
		this.factory = factory;
		this.properties = properties;
		this.context = context;
	}

	LockBackend backend(String name) {
		if (this.properties.backend() == Backend.IN_MEMORY) {
			return new InMemoryLockBackend(new InMemoryLockStore());
		}
		return NamedRedis.backend(name, own(name).connectionFactory(), this.context, settings(name));
	}

	LockLifecycle lifecycle(String name) {
		return new LockLifecycle(settings(name).shutdown().drainTimeout(), this.context);
	}

	DefaultLockRegistry registry(String name) {
		return this.factory.create(bean(name, "LockBackend", LockBackend.class), settings(name),
				bean(name, "LockLifecycle", LockLifecycle.class),
				new Registries(name, this.beans.getBean(LockRegistries.class)::get));
	}

	LockStartupReport report(String name) {
		DistributedLockProperties settings = settings(name);
		return new LockStartupReport(name, settings, () -> {
			LockBackend backend = bean(name, "LockBackend", LockBackend.class);
			return (backend instanceof InMemoryLockBackend) ? Findings.IN_MEMORY : NamedRedis.survey(backend, settings);
		});
	}

	SlowLockWarnings warnings(String name) {
		return new SlowLockWarnings(bean(name, "LockRegistry", DefaultLockRegistry.class),
				this.properties.warn().thresholds());
	}

	private <T> T bean(String name, String suffix, Class<T> type) {
		return this.beans.getBean(name + suffix, type);
	}

	private DistributedLockProperties settings(String name) {
		return this.properties.of(name, own(name));
	}

	private Registry own(String name) {
		Registry own = this.properties.registries().get(name);
		if (own == null) {
			throw new IllegalStateException("No settings of registry " + name);
		}
		return own;
	}

	/**
	 * Registrar that defines these beans for each registry that the properties name.
	 */
	static final class Registrar implements ImportBeanDefinitionRegistrar {

		private final EarlySettings settings;

		Registrar(Environment environment) {
			this.settings = EarlySettings.of(environment);
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
			if (this.settings.registries().isEmpty()) {
				return;
			}
			define(LockRegistries.class, LockRegistries.BEAN_NAME, registry);
			define(NamedLockRegistries.class, BEAN_NAME, registry);
			this.settings.registries().keySet().forEach((name) -> define(requireUsable(name), registry));
		}

		private static String requireUsable(String name) {
			if (name.equals(LockRequest.DEFAULT_REGISTRY)) {
				throw new LockSetupException(
						"distributed-lock.registries.default is set, but 'default' is the name of the registry that distributed-lock itself sets up.",
						"Set its properties directly below distributed-lock, or choose another name.");
			}
			return name;
		}

		private static void define(Class<?> type, String beanName, BeanDefinitionRegistry registry) {
			RootBeanDefinition bean = new RootBeanDefinition(type);
			bean.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
			registry.registerBeanDefinition(beanName, bean);
		}

		private static void define(String name, BeanDefinitionRegistry registry) {
			registry.registerBeanDefinition(name + "LockBackend", bean(name, "backend"));
			registry.registerBeanDefinition(name + "LockLifecycle", bean(name, "lifecycle"));
			registry.registerBeanDefinition(LockRegistries.beanName(name), bean(name, "registry"));
			registry.registerBeanDefinition(name + "LockStartupReport", bean(name, "report"));
			RootBeanDefinition warnings = bean(name, "warnings");
			warnings.setInitMethodName("start");
			// No other bean depends on these warnings.
			warnings.setLazyInit(false);
			registry.registerBeanDefinition(name + "SlowLockWarnings", warnings);
		}

		private static RootBeanDefinition bean(String name, String method) {
			RootBeanDefinition bean = new RootBeanDefinition();
			bean.setFactoryBeanName(BEAN_NAME);
			bean.setFactoryMethodName(method);
			bean.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
			bean.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
			bean.setDefaultCandidate(false);
			bean.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
			return bean;
		}

	}

}
