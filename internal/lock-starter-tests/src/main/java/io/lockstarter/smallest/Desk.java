package io.lockstarter.smallest;

import java.util.concurrent.CountDownLatch;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockAcquisitionTimeoutException;

import org.springframework.stereotype.Service;

/**
 * Desk at which one order is processed at a time, until {@link #finish()} is called.
 */
@Service
class Desk {

	private final CountDownLatch done = new CountDownLatch(1);

	@DistributedLock(name = "desk", key = "#order", waitTime = "0", fallback = "busy")
	String work(String order) throws InterruptedException {
		this.done.await();
		return "done";
	}

	String busy(String order, LockAcquisitionTimeoutException ex) {
		return "busy";
	}

	void finish() {
		this.done.countDown();
	}

}
