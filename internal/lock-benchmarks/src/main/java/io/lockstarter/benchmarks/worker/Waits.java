package io.lockstarter.benchmarks.worker;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;

import org.HdrHistogram.Histogram;

/**
 * Encoding of histograms of waits for other processes.
 */
public final class Waits {

	private static final int DIGITS = 3;

	private Waits() {
	}

	/**
	 * Returns an empty histogram.
	 * @return the histogram
	 */
	public static Histogram create() {
		return new Histogram(DIGITS);
	}

	static String encode(Histogram histogram) {
		ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
		int length = histogram.encodeIntoCompressedByteBuffer(bytes);
		return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
	}

	/**
	 * Reads a histogram that a worker has sent.
	 * @param encoded the encoded histogram
	 * @return the histogram
	 */
	public static Histogram decode(String encoded) {
		try {
			return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(encoded)), 0);
		}
		catch (DataFormatException ex) {
			throw new IllegalArgumentException("Not a histogram", ex);
		}
	}

}
