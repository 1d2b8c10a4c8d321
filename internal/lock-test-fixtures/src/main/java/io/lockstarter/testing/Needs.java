package io.lockstarter.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Annotation for tests that need a tool which a machine may lack. Without the tool, the
 * tests are skipped, and the build reports them at its end. They fail without the tool if
 * the system property {@value ToolCondition#REQUIRED} contains its name. The tag
 * {@code tool} selects these tests, together with tests that a tool makes more exact.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("tool")
@ExtendWith(ToolCondition.class)
public @interface Needs {

	/** Returns the tool without which the tests cannot run. */
	Tool value();

}
