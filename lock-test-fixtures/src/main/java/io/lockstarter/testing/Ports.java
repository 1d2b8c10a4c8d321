package io.lockstarter.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses ports for servers. They lie, as does each plus 10000 for the cluster bus, below
 * the range from which systems serve outgoing connections: a server that was down gets
 * its port back.
 */
public final class Ports {

	private static final int FIRST = 12_000;

	private static final int END = 22_000;

	private Ports() {
	}

	/**
	 * Returns a port at which nothing listens.
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
