package io.lockstarter.benchmarks.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.lockstarter.benchmarks.contender.Mutex;

/**
 * What locks protect during a measurement: for each lock a counter that only holders may
 * touch. It lies in a file that all JVMs map, so that holders in different JVMs would
 * disturb each other too.
 */
public final class Guards {

	private static final int SLOTS = 256;

	private static final int SLOT_BYTES = 64;

	private static final int COUNT = 0;

	private static final int INSIDE = 8;

	private static final int TOKEN = 16;

	private static final int READERS = 24;

	private static final int READ_COUNT = 32;

	private static final int READ_TOKEN = 40;

	private static final VarHandle ATOMIC = MethodHandles.byteBufferViewVarHandle(long[].class,
			ByteOrder.nativeOrder());

	private final ByteBuffer memory;

	private Guards(ByteBuffer memory) {
		this.memory = memory;
	}

	/**
	 * Maps a file, which is created if there is none.
	 * @param file the file
	 * @return the guards in it
	 */
	public static Guards map(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new Guards(channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) SLOTS * SLOT_BYTES)
				.order(ByteOrder.nativeOrder()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns the sum of all counters.
	 * @return how many holds were counted
	 */
	public long count() {
		long sum = 0;
		for (int slot = 0; slot < SLOTS; slot++) {
			sum += this.memory.getLong(slot * SLOT_BYTES + COUNT) + this.memory.getLong(slot * SLOT_BYTES + READ_COUNT);
		}
		return sum;
	}

	/**
	 * Enters what one lock protects, as one who excludes others.
	 * @param slot which lock
	 * @param token the fencing token of the hold
	 * @return whether nobody else was inside, and the token was above all before
	 */
	boolean enter(int slot, long token) {
		int at = slot * SLOT_BYTES;
		boolean alone = this.memory.getLong(at + INSIDE) == 0
				&& (long) ATOMIC.getVolatile(this.memory, at + READERS) == 0;
		this.memory.putLong(at + INSIDE, 1);
		boolean risen = token == Mutex.NO_TOKEN
				|| token > Math.max(this.memory.getLong(at + TOKEN), this.memory.getLong(at + READ_TOKEN));
		this.memory.putLong(at + TOKEN, token);
		this.memory.putLong(at + COUNT, this.memory.getLong(at + COUNT) + 1);
		return alone && risen;
	}

	/**
	 * Leaves what one lock protects.
	 * @param slot which lock
	 */
	void leave(int slot) {
		this.memory.putLong(slot * SLOT_BYTES + INSIDE, 0);
	}

	/**
	 * Enters what one lock protects, as one who only excludes those who exclude others.
	 * @param slot which lock
	 * @param token the fencing token of the hold
	 * @param most how many may be inside at a time, with this one
	 * @return whether no more were inside, nobody who excludes others was, and the token
	 * was above theirs before
	 */
	boolean enterShared(int slot, long token, int most) {
		int at = slot * SLOT_BYTES;
		boolean few = (long) ATOMIC.getAndAdd(this.memory, at + READERS, 1L) < most;
		ATOMIC.getAndAdd(this.memory, at + READ_COUNT, 1L);
		boolean alone = (long) ATOMIC.getVolatile(this.memory, at + INSIDE) == 0;
		boolean risen = token == Mutex.NO_TOKEN || token > this.memory.getLong(at + TOKEN);
		raise(at + READ_TOKEN, token);
		return few && alone && risen;
	}

	private void raise(int at, long token) {
		long highest = (long) ATOMIC.getVolatile(this.memory, at);
		while (token > highest && !ATOMIC.compareAndSet(this.memory, at, highest, token)) {
			highest = (long) ATOMIC.getVolatile(this.memory, at);
		}
	}

	/**
	 * Leaves what one lock protects, after {@link #enterShared(int, long, int)}.
	 * @param slot which lock
	 */
	void leaveShared(int slot) {
		ATOMIC.getAndAdd(this.memory, slot * SLOT_BYTES + READERS, -1L);
	}

}
