package io.lockstarter.verification.history;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;

/**
 * Backend that changes acquire requests, or drops releases and reports success.
 */
final class TamperedBackend {

	private final LockBackend target;

	private final UnaryOperator<Acquire> change;

	private final Predicate<Release> dropped;

	private TamperedBackend(LockBackend target, UnaryOperator<Acquire> change, Predicate<Release> dropped) {
		this.target = target;
		this.change = change;
		this.dropped = dropped;
	}

	static LockBackend of(LockBackend target, UnaryOperator<Acquire> change, Predicate<Release> dropped) {
		TamperedBackend tampered = new TamperedBackend(target, change, dropped);
		return (LockBackend) Proxy.newProxyInstance(LockBackend.class.getClassLoader(),
				new Class<?>[] { LockBackend.class }, (proxy, method, arguments) -> {
					if (arguments != null && arguments[0] instanceof Acquire acquire) {
						return target.acquire(change.apply(acquire));
					}
					if (arguments != null && arguments[0] instanceof Release release) {
						return tampered.release(release);
					}
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	private CompletableFuture<Release.Reply> release(Release command) {
		if (this.dropped.test(command)) {
			return CompletableFuture.completedFuture(new Release.Reply(Release.Outcome.RELEASED, OptionalLong.empty()));
		}
		Acquire next = command.next();
		return this.target.release(new Release(command.name(), command.tenure(), command.intent(),
				(next != null) ? this.change.apply(next) : null, command.allReplied()));
	}

}
