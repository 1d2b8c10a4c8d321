package io.lockstarter.verification.model;

/**
 * What is on its way between a client and the server.
 */
sealed interface Message {

	/** The client that sent it, or that it is for. */
	int client();

	/** Tells it from all others, if what its client has done is known. */
	String mark();

	/**
	 * A command on its way to the server.
	 *
	 * @param number tells it from the other commands of its client
	 * @param copy which copy it is, if it is sent more than once
	 * @param command the command
	 */
	record Request(int client, int number, Copy copy, Object command) implements Message {

		@Override
		public String mark() {
			return this.client + ">" + this.number + this.copy;
		}

		Request copy(Copy changed) {
			return new Request(this.client, this.number, changed, this.command);
		}

	}

	/**
	 * A copy of a command.
	 */
	enum Copy {

		/** It is sent once. */
		ONLY,
		/** Its connection has broken: it may arrive, but its answer does not. */
		FIRST,
		/** It is sent again, and says so. */
		SECOND

	}

	/**
	 * The answer to a command.
	 *
	 * @param number the number of the command
	 * @param reply what it was answered
	 * @param mark tells it from all others
	 */
	record Answer(int client, int number, Object reply, String mark) implements Message {

		Answer(int client, int number, Object reply) {
			this(client, number, reply, client + "<" + number + " " + reply);
		}

		@Override
		public String toString() {
			return "Answer " + this.mark;
		}

	}

	/**
	 * What a script published.
	 */
	record Push(int client, String text) implements Message {

		@Override
		public String mark() {
			return this.client + "!" + this.text;
		}

	}

}
