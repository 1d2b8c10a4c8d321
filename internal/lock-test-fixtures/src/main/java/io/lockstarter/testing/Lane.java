package io.lockstarter.testing;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Direction of a proxied connection. It runs deliveries in order, each when it is due and
 * the {@link Gate} is open.
 */
final class Lane {

	private final BlockingQueue<Parcel> parcels = new LinkedBlockingQueue<>();

	private final Gate gate;

	private final Thread thread;

	Lane(String name, Gate gate) {
		this.gate = gate;
		this.thread = new Thread(this::deliver, name);
		this.thread.setDaemon(true);
		this.thread.start();
	}

	void put(Delivery delivery) {
		this.parcels.add(new Parcel(this.gate.due(), delivery));
	}

	/**
	 * Ends this lane and discards its remaining deliveries.
	 */
	void end() {
		this.thread.interrupt();
	}

	private void deliver() {
		try {
			while (!Thread.interrupted()) {
				Parcel parcel = this.parcels.take();
				this.gate.pass(parcel.due());
				attempt(parcel.delivery());
			}
		}
		catch (InterruptedException ex) {
			// Ended
		}
	}

	// A closed receiver gets nothing, but its earlier data still reaches the other side
	private void attempt(Delivery delivery) {
		try {
			delivery.run();
		}
		catch (IOException ex) {
			// Closed
		}
	}

	/**
	 * Delivery of data to the receiver.
	 */
	@FunctionalInterface
	interface Delivery {

		void run() throws IOException;

	}

	private record Parcel(long due, Delivery delivery) {

	}

	/**
	 * Gate that blocks and delays one direction of all connections.
	 */
	static final class Gate {

		private final Lock lock = new ReentrantLock();

		private final Condition opened = this.lock.newCondition();

		private volatile long delay;

		private boolean closed;

		void delay(Duration delay) {
			this.delay = delay.toNanos();
		}

		void hold() {
			change(true);
		}

		void release() {
			change(false);
		}

		private void change(boolean closed) {
			this.lock.lock();
			try {
				this.closed = closed;
				this.opened.signalAll();
			}
			finally {
				this.lock.unlock();
			}
		}

		private long due() {
			return System.nanoTime() + this.delay;
		}

		private void pass(long due) throws InterruptedException {
			this.lock.lockInterruptibly();
			try {
				for (long nanos = due - System.nanoTime(); this.closed || nanos > 0; nanos = due - System.nanoTime()) {
					if (this.closed) {
						this.opened.await();
					}
					else {
						this.opened.awaitNanos(nanos);
					}
				}
			}
			finally {
				this.lock.unlock();
			}
		}

	}

}
