package io.lockstarter.contract;

/**
 * For how long a lock is held, and how it is lost.
 */
public interface LeaseChapters extends LeaseSemantics, LossSemantics {

}
