package io.lockstarter.aop;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Map by the identity of objects, which does not prevent their garbage collection.
 * Thread-safe.
 *
 * @param <V> the type of values
 */
final class WeakIdentities<V> {

	private final Map<Identity, V> values = new ConcurrentHashMap<>();

	private final ReferenceQueue<Object> gone = new ReferenceQueue<>();

	void put(Object object, V value) {
		for (Reference<?> over = this.gone.poll(); over != null; over = this.gone.poll()) {
			this.values.remove(over);
		}
		this.values.put(new Identity(object, this.gone), value);
	}

	@Nullable V get(Object object) {
		return this.values.get(new Identity(object, null));
	}

	int size() {
		return this.values.size();
	}

	private static final class Identity extends WeakReference<Object> {

		private final int hash;

		Identity(Object object, @Nullable ReferenceQueue<Object> queue) {
			super(object, queue);
			this.hash = System.identityHashCode(object);
		}

		/**
		 * Returns whether the objects are identical. A reference whose object was
		 * collected equals only itself.
		 */
		@Override
		public boolean equals(@Nullable Object other) {
			if (this == other) {
				return true;
			}
			Object object = get();
			return object != null && other instanceof Identity identity && identity.get() == object;
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

	}

}
