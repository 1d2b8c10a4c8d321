package io.lockstarter.verification.history.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Guarded data in a file that all JVMs map: for each lock a counter that only the lock
 * protects, and a store that refuses tokens below the highest one it has seen. Only the
 * stores are thread-safe.
 */
public final class Guards {

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private static final int SLOT_BYTES = 64;

	private static final int COUNT = 0;

	private static final int TOKEN = 8;

	private static final int ADMITTED = 16;

	private static final int REFUSED = 24;

	private final ByteBuffer memory;

	private Guards(ByteBuffer memory) {
		this.memory = memory;
	}

	/**
	 * Maps a file, which is created if it does not exist.
	 * @param file the file
	 * @param slots the number of locks
	 * @return the guards in it
	 */
	public static Guards map(Path file, int slots) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new Guards(channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) slots * SLOT_BYTES));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns the value of a lock's counter.
	 * @param slot the number of the lock
	 * @return the value
	 */
	public long count(int slot) {
		return get(slot, COUNT);
	}

	/**
	 * Returns the number of writes that the fenced store of a lock has refused.
	 * @param slot the number of the lock
	 * @return the number
	 */
	public long refused(int slot) {
		return get(slot, REFUSED);
	}

	/**
	 * Returns the number of writes that the fenced store of a lock has admitted.
	 * @param slot the number of the lock
	 * @return the number
	 */
	public long admitted(int slot) {
		return get(slot, ADMITTED);
	}

	void count(int slot, long value) {
		LONGS.setVolatile(this.memory, slot * SLOT_BYTES + COUNT, value);
	}

	/** Writes to the fenced store; {@code false} if it has seen a higher token. */
	boolean admit(int slot, long token) {
		int at = slot * SLOT_BYTES + TOKEN;
		long highest = (long) LONGS.getVolatile(this.memory, at);
		while (token >= highest) {
			if (LONGS.compareAndSet(this.memory, at, highest, token)) {
				LONGS.getAndAdd(this.memory, slot * SLOT_BYTES + ADMITTED, 1L);
				return true;
			}
			highest = (long) LONGS.getVolatile(this.memory, at);
		}
		LONGS.getAndAdd(this.memory, slot * SLOT_BYTES + REFUSED, 1L);
		return false;
	}

	private long get(int slot, int field) {
		return (long) LONGS.getVolatile(this.memory, slot * SLOT_BYTES + field);
	}

}
