package io.lockstarter.testing;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One direction of a proxied connection: runs deliveries in order, each when it is due
 * and the {@link Gate} is open.
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
	 * End this lane with all that it still holds.
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

	// A receiver that is gone gets nothing; what it sent before still reaches the other
	// side
	private void attempt(Delivery delivery) {
		try {
			delivery.run();
		}
		catch (IOException ex) {
			// Gone
		}
	}

	/**
	 * Hands something over to the receiver.
	 */
	@FunctionalInterface
	interface Delivery {

		void run() throws IOException;

	}

	private record Parcel(long due, Delivery delivery) {

	}

	/**
	 * Holds back and delays one direction of all connections.
	 */
	static final class Gate {

		private long delay;

		private boolean closed;

		synchronized void delay(Duration delay) {
			this.delay = delay.toNanos();
		}

		synchronized void hold() {
			this.closed = true;
		}

		synchronized void release() {
			this.closed = false;
			notifyAll();
		}

		private synchronized long due() {
			return System.nanoTime() + this.delay;
		}

		private synchronized void pass(long due) throws InterruptedException {
			for (long left = due - System.nanoTime(); this.closed || left > 0; left = due - System.nanoTime()) {
				if (this.closed) {
					wait();
				}
				else {
					TimeUnit.NANOSECONDS.timedWait(this, left);
				}
			}
		}

	}

}
