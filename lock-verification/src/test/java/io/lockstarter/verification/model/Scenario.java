package io.lockstarter.verification.model;

/**
 * How far a search goes.
 *
 * @param modes for each client how it asks for the lock: x exclusive, f fair, r reader, m
 * exclusive and reader in turn, w likewise as one owner, 2 or 3 with so many permits, g
 * fair with two permits, s exclusive with releases that are only sent
 * @param handovers how many hand-overs within a client others wait for
 * @param requests how many requests each may make
 * @param looks how often each may renew a lease, or look by itself
 * @param ticks how often the clock may move
 * @param copies how many commands may arrive twice
 * @param losses how many commands may stay without an answer for so long that a client
 * gives up
 * @param deaths how many clients may die
 * @param floods how often the server may lose its memory
 */
record Scenario(String modes, int handovers, int requests, int looks, int ticks, int copies, int losses, int deaths,
		int floods) {

	/**
	 * Nothing is late or lost, and what a client sends arrives in order: whoever waits is
	 * to be woken without the help of time.
	 */
	boolean isCalm() {
		return this.ticks == 0 && this.copies == 0 && this.losses == 0 && this.deaths == 0 && this.floods == 0;
	}

	/** How many may have the lock at a time, if all say so; else 1. */
	int permits() {
		return this.modes.matches("[2g]+") ? 2 : this.modes.matches("3+") ? 3 : 1;
	}

	int clients() {
		return this.modes.length();
	}

}
