package io.lockstarter.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Minimal blocking RESP2 client with one connection. Replies are {@code String},
 * {@code Long}, {@code List} or {@code null}. An error reply is thrown as an exception,
 * or is an element of a list. Not thread-safe.
 */
public final class RespClient implements AutoCloseable {

	private final Socket socket = new Socket();

	private final InputStream in;

	private RespClient(String host, int port, Duration timeout) throws IOException {
		int millis = (int) timeout.toMillis();
		try {
			this.socket.connect(new InetSocketAddress(host, port), millis);
			this.socket.setTcpNoDelay(true);
			this.socket.setSoTimeout(millis);
			this.in = new BufferedInputStream(this.socket.getInputStream());
		}
		catch (IOException ex) {
			this.socket.close();
			throw ex;
		}
	}

	public static RespClient connect(String host, int port) {
		return connect(host, port, Duration.ofSeconds(5));
	}

	/**
	 * Connects with a timeout for the connection and for each reply.
	 */
	public static RespClient connect(String host, int port, Duration timeout) {
		try {
			return new RespClient(host, port, timeout);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(String.format(Locale.ROOT, "No connection to %s:%d", host, port), ex);
		}
	}

	public @Nullable Object call(String... command) {
		send(command);
		return read();
	}

	public void send(String... command) {
		ByteArrayOutputStream request = new ByteArrayOutputStream();
		request.writeBytes(utf8("*" + command.length + "\r\n"));
		for (String part : command) {
			byte[] bytes = utf8(part);
			request.writeBytes(utf8("$" + bytes.length + "\r\n"));
			request.writeBytes(bytes);
			request.writeBytes(utf8("\r\n"));
		}
		try {
			request.writeTo(this.socket.getOutputStream());
		}
		catch (IOException ex) {
			throw broken(ex);
		}
	}

	/**
	 * Reads the next reply or pushed message.
	 */
	public @Nullable Object read() {
		try {
			Object reply = readValue();
			if (reply instanceof ErrorReply error) {
				throw error;
			}
			return reply;
		}
		catch (IOException ex) {
			throw broken(ex);
		}
	}

	private @Nullable Object readValue() throws IOException {
		String line = readLine();
		String rest = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> rest;
			case '-' -> new ErrorReply(rest);
			case ':' -> Long.valueOf(rest);
			case '$' -> readText(Integer.parseInt(rest));
			case '*' -> readList(Integer.parseInt(rest));
			default -> throw new IOException("Not RESP2: " + line);
		};
	}

	private @Nullable String readText(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] text = this.in.readNBytes(length);
		this.in.skipNBytes(2);
		return new String(text, StandardCharsets.UTF_8);
	}

	private @Nullable List<@Nullable Object> readList(int size) throws IOException {
		if (size < 0) {
			return null;
		}
		List<@Nullable Object> list = new ArrayList<>(size);
		for (int i = 0; i < size; i++) {
			list.add(readValue());
		}
		return list;
	}

	private String readLine() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int next = this.in.read(); next != '\n'; next = this.in.read()) {
			if (next < 0) {
				throw new EOFException("Connection closed by Redis");
			}
			line.write(next);
		}
		return line.toString(StandardCharsets.UTF_8).stripTrailing();
	}

	// A late reply would be taken for that of a later command, so a failed connection is
	// closed
	private UncheckedIOException broken(IOException cause) {
		close();
		return new UncheckedIOException(cause);
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Error reply of Redis.
	 */
	@SuppressWarnings("serial")
	public static final class ErrorReply extends RuntimeException {

		ErrorReply(String message) {
			super(message);
		}

	}

}
