package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * The tenures that this JVM holds as a reader of one lock. There is one as a rule, which
 * all readers share; but each with a lease of its own has a tenure of its own, and who
 * comes while a writer waits elsewhere does not join those who were there before. Used
 * under the monitor of the {@link LocalLock}.
 */
final class Shares {

	private List<Tenure> tenures = List.of();

	private int leaving;

	void add(Tenure tenure) {
		if (this.tenures.isEmpty()) {
			this.tenures = new ArrayList<>(2);
		}
		this.tenures.add(tenure);
	}

	boolean remove(Tenure tenure) {
		return !this.tenures.isEmpty() && this.tenures.remove(tenure);
	}

	/** A tenure has been ended here, and the backend is told. */
	void leave(Tenure tenure) {
		remove(tenure);
		this.leaving++;
	}

	/** The backend has answered, or will not. */
	void left() {
		this.leaving--;
	}

	/** Whether there is nothing left, here or on its way. */
	boolean isGone() {
		return this.tenures.isEmpty() && this.leaving == 0;
	}

	List<Tenure> all() {
		return this.tenures;
	}

	boolean has(TenureId id) {
		return this.tenures.stream().anyMatch((tenure) -> tenure.id().equals(id));
	}

	/** A tenure that a reader may join. */
	@Nullable Tenure joinable(Waiter reader) {
		for (Tenure tenure : this.tenures) {
			if (tenure.canGoTo(reader)) {
				return tenure;
			}
		}
		return null;
	}

	@Nullable Hold holdOf(LockOwner owner) {
		for (Tenure tenure : this.tenures) {
			Hold hold = tenure.holdOf(owner, true);
			if (hold != null) {
				return hold;
			}
		}
		return null;
	}

	/** A client elsewhere waits for the readers to leave. */
	void wanted() {
		this.tenures.forEach((tenure) -> tenure.demand().wanted());
	}

}
