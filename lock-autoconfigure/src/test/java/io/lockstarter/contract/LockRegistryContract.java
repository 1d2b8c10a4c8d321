package io.lockstarter.contract;

/**
 * What a registry must do, whatever backend it works on, with many rounds.
 */
public abstract class LockRegistryContract extends Registries
		implements LockingChapters, SharingChapters, LeaseChapters, InterruptSweep {

	@Override
	public int effort() {
		return 5;
	}

}
