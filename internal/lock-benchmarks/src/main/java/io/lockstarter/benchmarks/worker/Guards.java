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
 * Guarded data of a measurement: for each lock a counter that only holders may access.
 * All JVMs map the same file, so that violations between JVMs are detected as well.
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
	 * Maps a file, which is created if it does not exist.
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
	 * @return the number of counted holds
	 */
	public long count() {
		long sum = 0;
		for (int slot = 0; slot < SLOTS; slot++) {
			sum += this.memory.getLong(slot * SLOT_BYTES + COUNT) + this.memory.getLong(slot * SLOT_BYTES + READ_COUNT);
		}
		return sum;
	}

	/**
	 * Enters the guarded section of a lock exclusively.
	 * @param slot the number of the lock
	 * @param token the fencing token of the hold
	 * @return {@code true} if no other holder was inside, and the token exceeds all
	 * earlier ones
	 */
	boolean enter(int slot, long token) {
		int at = slot * SLOT_BYTES;
		boolean exclusive = this.memory.getLong(at + INSIDE) == 0
				&& (long) ATOMIC.getVolatile(this.memory, at + READERS) == 0;
		this.memory.putLong(at + INSIDE, 1);
		boolean risen = token == Mutex.NO_TOKEN
				|| token > Math.max(this.memory.getLong(at + TOKEN), this.memory.getLong(at + READ_TOKEN));
		this.memory.putLong(at + TOKEN, token);
		this.memory.putLong(at + COUNT, this.memory.getLong(at + COUNT) + 1);
		return exclusive && risen;
	}

	/**
	 * Leaves the guarded section of a lock.
	 * @param slot the number of the lock
	 */
	void leave(int slot) {
		this.memory.putLong(slot * SLOT_BYTES + INSIDE, 0);
	}

	/**
	 * Enters the guarded section of a lock as a shared holder.
	 * @param slot the number of the lock
	 * @param token the fencing token of the hold
	 * @param most the limit on shared holders, including this one
	 * @return {@code true} if the limit is kept, no exclusive holder was inside, and the
	 * token exceeds those of earlier exclusive holders
	 */
	boolean enterShared(int slot, long token, int most) {
		int at = slot * SLOT_BYTES;
		boolean few = (long) ATOMIC.getAndAdd(this.memory, at + READERS, 1L) < most;
		ATOMIC.getAndAdd(this.memory, at + READ_COUNT, 1L);
		boolean exclusive = (long) ATOMIC.getVolatile(this.memory, at + INSIDE) == 0;
		boolean risen = token == Mutex.NO_TOKEN || token > this.memory.getLong(at + TOKEN);
		raise(at + READ_TOKEN, token);
		return few && exclusive && risen;
	}

	private void raise(int at, long token) {
		long highest = (long) ATOMIC.getVolatile(this.memory, at);
		while (token > highest && !ATOMIC.compareAndSet(this.memory, at, highest, token)) {
			highest = (long) ATOMIC.getVolatile(this.memory, at);
		}
	}

	/**
	 * Leaves the guarded section of a lock after {@link #enterShared(int, long, int)}.
	 * @param slot the number of the lock
	 */
	void leaveShared(int slot) {
		ATOMIC.getAndAdd(this.memory, slot * SLOT_BYTES + READERS, -1L);
	}

}
