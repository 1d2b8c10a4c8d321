package io.lockstarter.verification.history.recording;

/**
 * Access of a holder to the guarded counter and to the fenced store.
 *
 * @param wrote whether the holder wrote to the counter
 * @param late whether the hold had ended after the write
 * @param refused whether the fenced store refused the token of a valid hold
 * @param torn whether the counter changed while the hold was valid
 */
public record Visit(boolean wrote, boolean late, boolean refused, boolean torn) {

	/** Visit without any access. */
	public static final Visit NONE = new Visit(false, false, false, false);

	String code() {
		return (this.wrote ? "w" : "-") + (this.late ? "l" : "-") + (this.refused ? "r" : "-")
				+ (this.torn ? "t" : "-");
	}

	static Visit of(String code) {
		return new Visit(code.charAt(0) == 'w', code.charAt(1) == 'l', code.charAt(2) == 'r', code.charAt(3) == 't');
	}

}
