package io.lockstarter.verification.model;

import org.jspecify.annotations.Nullable;

/**
 * What is on its way between a client and the server.
 */
sealed interface Message {

	/** The client that sent it, or that it is for. */
	int client();

	/**
	 * A command on its way to the server.
	 */
	sealed interface Request extends Message {

		/** What an answer to it names, so that its client knows what it answers. */
		int number();

	}

	/**
	 * Asks for the lock.
	 *
	 * @param place the place among the waiters, empty if it is to get one
	 * @param waited for how long it has waited without a place, in microseconds
	 */
	record Acquire(int client, int number, int sequence, String place, long waited) implements Request {
	}

	/**
	 * Ends a tenure.
	 *
	 * @param next the tenure it waits with if it yields, else 0
	 */
	record Release(int client, int number, int sequence, String intent, int next) implements Request {
	}

	/**
	 * Makes a tenure last.
	 *
	 * @param lease the lease in milliseconds
	 */
	record Renew(int client, int number, int sequence, int lease) implements Request {
	}

	/**
	 * What a script returned.
	 */
	record Answer(int client, Request to, @Nullable Object reply) implements Message {
	}

	/**
	 * What a script published.
	 */
	record Push(int client, String text) implements Message {
	}

}
