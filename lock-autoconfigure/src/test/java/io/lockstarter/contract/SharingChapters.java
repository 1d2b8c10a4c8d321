package io.lockstarter.contract;

/**
 * Many who want the same lock, or several locks.
 */
public interface SharingChapters
		extends HotKeySemantics, ReaderSemantics, ReadWriteLockSemantics, SeveralLocksSemantics {

}
