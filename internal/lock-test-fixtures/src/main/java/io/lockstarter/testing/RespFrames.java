package io.lockstarter.testing;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Frames of a RESP2 or RESP3 stream, which are the bytes of single requests or replies.
 */
final class RespFrames {

	private static final Pattern MESSAGE = Pattern
		.compile("[*>]\\d+\r\n\\$\\d+\r\n(message|pmessage|smessage|invalidate)\r\n");

	private static final Pattern SUBSCRIPTION = Pattern.compile("\\*(\\d+)\r\n\\$\\d+\r\n[PS]?(UN)?SUBSCRIBE\r\n",
			Pattern.CASE_INSENSITIVE);

	private RespFrames() {
	}

	/**
	 * Reads the next request or reply.
	 * @throws EOFException at the end of the stream
	 */
	static byte[] read(InputStream in) throws IOException {
		ByteArrayOutputStream frame = new ByteArrayOutputStream();
		copyValue(in, frame);
		return frame.toByteArray();
	}

	/**
	 * Returns a frame as text, with one character for each byte.
	 */
	static String text(byte[] frame) {
		return new String(frame, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Returns whether a frame is a pushed message and not a reply. In RESP2, a list with
	 * the same beginning is mistaken for a message.
	 */
	static boolean isMessage(byte[] frame) {
		return MESSAGE.matcher(text(frame)).lookingAt();
	}

	/**
	 * Returns the number of replies to a request. A subscription has one reply for each
	 * channel.
	 */
	static int replies(byte[] request) {
		var subscription = SUBSCRIPTION.matcher(text(request));
		return subscription.lookingAt() ? Math.max(1, Integer.parseInt(subscription.group(1)) - 1) : 1;
	}

	private static void copyValue(InputStream in, ByteArrayOutputStream frame) throws IOException {
		String line = copyLine(in, frame);
		char type = line.charAt(0);
		switch (type) {
			case '$', '=', '!' -> copyBytes(in, frame, size(line));
			case '*', '~', '>' -> copyValues(in, frame, size(line));
			case '%' -> copyValues(in, frame, 2 * size(line));
			case '|' -> copyValues(in, frame, 2 * size(line) + 1);
			default -> {
				// A simple value, or an inline request: the frame is one line
			}
		}
	}

	private static void copyValues(InputStream in, ByteArrayOutputStream frame, int count) throws IOException {
		for (int i = 0; i < count; i++) {
			copyValue(in, frame);
		}
	}

	private static void copyBytes(InputStream in, ByteArrayOutputStream frame, int length) throws IOException {
		if (length >= 0) {
			byte[] bytes = in.readNBytes(length + 2);
			if (bytes.length < length + 2) {
				throw new EOFException();
			}
			frame.writeBytes(bytes);
		}
	}

	private static String copyLine(InputStream in, ByteArrayOutputStream frame) throws IOException {
		StringBuilder line = new StringBuilder();
		int next;
		do {
			next = in.read();
			if (next < 0) {
				throw new EOFException();
			}
			frame.write(next);
			line.append((char) next);
		}
		while (next != '\n');
		return line.toString();
	}

	private static int size(String line) {
		return Integer.parseInt(line.substring(1).trim());
	}

}
