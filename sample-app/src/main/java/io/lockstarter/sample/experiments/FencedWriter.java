package io.lockstarter.sample.experiments;

import io.lockstarter.core.LockHandle;
import io.lockstarter.sample.SampleProperties;
import io.lockstarter.sample.experiments.Event.Kind;

import org.springframework.stereotype.Component;

/**
 * Writer to the ledger, which adds an event with the result.
 */
@Component
class FencedWriter {

	private final Ledger ledger;

	private final Diary diary;

	private final String instance;

	FencedWriter(Ledger ledger, Diary diary, SampleProperties sample) {
		this.ledger = ledger;
		this.diary = diary;
		this.instance = sample.instance();
	}

	/**
	 * Writes with the token of a hold, which may be lost.
	 * @param lock the hold
	 * @param before the previous action of the writer
	 */
	void write(LockHandle lock, String before) {
		if (this.ledger.write(this.instance, lock.fencingToken())) {
			this.diary.add(Experiment.FREEZE, Kind.WRITTEN, lock, before + " and wrote; the store accepted it");
		}
		else {
			this.diary.add(Experiment.FREEZE, Kind.REFUSED, lock,
					before + " and wrote; the store refused it, because it has seen a higher token");
		}
	}

}
