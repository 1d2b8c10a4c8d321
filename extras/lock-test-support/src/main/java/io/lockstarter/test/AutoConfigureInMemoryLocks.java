package io.lockstarter.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.lockstarter.autoconfigure.LockAutoConfiguration;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.TestPropertySource;

/**
 * Annotation for a Spring test that runs with locks in memory instead of Redis. It also
 * adds the locks to test slices, such as {@code @WebMvcTest}. The test can inject
 * {@link InMemoryLocks}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration({ LockAutoConfiguration.class, LockTestAutoConfiguration.class })
@TestPropertySource(properties = "distributed-lock.backend=in-memory")
public @interface AutoConfigureInMemoryLocks {

}
