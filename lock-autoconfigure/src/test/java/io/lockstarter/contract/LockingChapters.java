package io.lockstarter.contract;

/**
 * Who gets a lock, in which order, and what is seen of it.
 */
public interface LockingChapters extends LockSemantics, InterruptSemantics, OwnerSemantics, AsyncSemantics,
		MonitorSemantics, HolderSemantics, ForceSemantics, ShutdownSemantics {

}
