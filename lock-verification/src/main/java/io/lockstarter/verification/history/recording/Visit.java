package io.lockstarter.verification.history.recording;

/**
 * What a holder did to the guarded counter and to the fenced store.
 *
 * @param wrote whether it counted
 * @param late whether its hold had ended when it had counted
 * @param refused whether the fenced store refused its token while it was valid
 * @param torn whether what it read changed while it was valid
 */
public record Visit(boolean wrote, boolean late, boolean refused, boolean torn) {

	/** A visit that did nothing. */
	public static final Visit NONE = new Visit(false, false, false, false);

	String code() {
		return (this.wrote ? "w" : "-") + (this.late ? "l" : "-") + (this.refused ? "r" : "-")
				+ (this.torn ? "t" : "-");
	}

	static Visit of(String code) {
		return new Visit(code.charAt(0) == 'w', code.charAt(1) == 'l', code.charAt(2) == 'r', code.charAt(3) == 't');
	}

}
