package io.lockstarter.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that need a tool which a machine may lack. They are skipped without it, and the
 * end of the build says so. They fail without it if the system property
 * {@value ToolCondition#REQUIRED} names it. The tag {@code tool} selects them, together
 * with tests that a tool makes more exact.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("tool")
@ExtendWith(ToolCondition.class)
public @interface Needs {

	/** The tool without which the tests cannot run. */
	Tool value();

}
