package io.lockstarter.fence;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Runtime hints for the statements that create the table, and for the access to the data
 * source of JPA's transaction manager.
 */
class FenceRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/lockstarter/fence/*.sql");
		hints.reflection()
			.registerTypeIfPresent(classLoader, "org.springframework.orm.jpa.JpaTransactionManager",
					(type) -> type.withMethod("getDataSource", List.of(), ExecutableMode.INVOKE));
	}

}
