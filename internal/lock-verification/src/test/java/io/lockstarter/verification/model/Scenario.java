package io.lockstarter.verification.model;

/**
 * Bounds of a search.
 *
 * @param modes the requests of each client: x exclusive, f fair, r reader, m exclusive
 * and reader in turn, w likewise as one owner, 2 or 3 with that number of permits, g fair
 * with two permits, s exclusive with releases that are only sent
 * @param handovers the limit on hand-overs within a client while others wait
 * @param requests the limit on requests of each client
 * @param selfChecks the limit on renewals and rechecks of each client
 * @param ticks the limit on ticks of the clock
 * @param copies the limit on commands that arrive twice
 * @param losses the limit on commands without a reply until the timeout
 * @param deaths the limit on clients that die
 * @param floods the limit on losses of the server's data
 */
record Scenario(String modes, int handovers, int requests, int selfChecks, int ticks, int copies, int losses,
		int deaths, int floods) {

	/**
	 * Returns whether no message is late or lost, and messages of a client arrive in
	 * order, so that every waiter is woken without the passing of time.
	 */
	boolean isCalm() {
		return this.ticks == 0 && this.copies == 0 && this.losses == 0 && this.deaths == 0 && this.floods == 0;
	}

	/**
	 * Returns the number of permits if all clients request the same number, otherwise 1.
	 */
	int permits() {
		return this.modes.matches("[2g]+") ? 2 : this.modes.matches("3+") ? 3 : 1;
	}

	int clients() {
		return this.modes.length();
	}

}
