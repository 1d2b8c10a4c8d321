package io.lockstarter.contract;

/**
 * For how long a lock is held, how it is released without a reply, and how it is lost.
 */
public interface LeaseChapters extends LeaseSemantics, LossSemantics, SentReleaseSemantics {

}
