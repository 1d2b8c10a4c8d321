package io.lockstarter.verification.history.recording;

/**
 * Kind of a line in a history.
 */
enum Line {

	OPENED('O'), CLOSING('C'), REQUESTED('A'), COMPLETED('B'), GRANTED('G'), EXTENDED('E'), LOST('L'), LEAVING('V'),
	RELEASED('R'), MISSED('M'), STALLED('S'), BLOCKED('K'), ANOMALY('X');

	private final char code;

	Line(char code) {
		this.code = code;
	}

	char code() {
		return this.code;
	}

	static Line of(char code) {
		for (Line line : values()) {
			if (line.code == code) {
				return line;
			}
		}
		throw new IllegalArgumentException("No line begins with '%s'".formatted(code));
	}

}
