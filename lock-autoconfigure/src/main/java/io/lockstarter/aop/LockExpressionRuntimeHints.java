package io.lockstarter.aop;

import io.lockstarter.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Runtime hints for reflection on any annotation: its merged attributes, and the root
 * object of its expressions.
 */
class LockExpressionRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.proxies().registerJdkProxy(DistributedLock.class);
		hints.reflection().registerType(LockExpressionEvaluator.Call.class, MemberCategory.INVOKE_PUBLIC_METHODS);
	}

}
