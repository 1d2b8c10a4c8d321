package io.lockstarter.verification.model;

/**
 * How far a search goes.
 *
 * @param modes for each client how it asks for the lock: x exclusive, f fair, r reader
 * @param tenures how many tenures each may begin
 * @param asks how often each may ask
 * @param ticks how often the clock may move
 * @param copies how many requests may arrive twice
 * @param losses how many commands may stay without an answer for so long that a client
 * gives up
 * @param deaths how many clients may die
 * @param floods how often the server may lose its memory
 */
record Scenario(String modes, int tenures, int asks, int ticks, int copies, int losses, int deaths, int floods) {

	/** Nothing is late or lost: whoever waits is to be woken without the help of time. */
	boolean isCalm() {
		return this.ticks == 0 && this.copies == 0 && this.losses == 0 && this.deaths == 0 && this.floods == 0;
	}

	/** The same without an end to what clients may do. */
	Scenario endless() {
		return new Scenario(this.modes, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, 1, 1, 0, 0);
	}

	int clients() {
		return this.modes.length();
	}

}
