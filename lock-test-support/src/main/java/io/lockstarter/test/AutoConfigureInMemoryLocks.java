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
 * Lets a Spring test run with locks in memory instead of Redis. Brings the locks into
 * test slices too, such as {@code @WebMvcTest}. {@link InMemoryLocks} can then be
 * injected.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration({ LockAutoConfiguration.class, LockTestAutoConfiguration.class })
@TestPropertySource(properties = "distributed-lock.backend=in-memory")
public @interface AutoConfigureInMemoryLocks {

}
