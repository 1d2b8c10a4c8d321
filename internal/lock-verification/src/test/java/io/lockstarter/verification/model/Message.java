package io.lockstarter.verification.model;

/**
 * Message between a client and the server.
 */
sealed interface Message {

	/** Returns the client that sent or receives the message. */
	int client();

	/** Returns a text that identifies the message, given the history of its client. */
	String mark();

	/**
	 * Command to the server.
	 *
	 * @param number the number of the command in its client
	 * @param copy the copy of the command, if it is sent more than once
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
	 * Copy of a command.
	 */
	enum Copy {

		/** Only copy. */
		ONLY,
		/**
		 * First copy, whose connection has broken: it may arrive, but the reply does not.
		 */
		FIRST,
		/** Second copy, marked as repeated. */
		SECOND

	}

	/**
	 * Reply to a command.
	 *
	 * @param number the number of the command
	 * @param reply the content of the reply
	 * @param mark the text that identifies the message
	 */
	record Response(int client, int number, Object reply, String mark) implements Message {

		Response(int client, int number, Object reply) {
			this(client, number, reply, client + "<" + number + " " + reply);
		}

		@Override
		public String toString() {
			return "Response " + this.mark;
		}

	}

	/**
	 * Message that a script published.
	 */
	record Push(int client, String text) implements Message {

		@Override
		public String mark() {
			return this.client + "!" + this.text;
		}

	}

}
