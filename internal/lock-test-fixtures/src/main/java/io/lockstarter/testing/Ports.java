package io.lockstarter.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers. Each port, and the same plus 10000 for the cluster bus, is below the
 * range that systems use for outgoing connections. Therefore, a restarted server can use
 * its port again.
 */
public final class Ports {

	/** First port. */
	private static final int FIRST = 12_000;

	/** First port after the range. */
	private static final int END = 22_000;

	private Ports() {
	}

	/**
	 * Returns a port on which no server listens.
	 */
	public static int free() {
		while (true) {
			try (ServerSocket socket = listen(ThreadLocalRandom.current().nextInt(FIRST, END))) {
				return socket.getLocalPort();
			}
			catch (IOException ex) {
				// Taken: try another one
			}
		}
	}

	static ServerSocket listen(int port) throws IOException {
		return new ServerSocket(port, 128, InetAddress.getLoopbackAddress());
	}

}
