package io.lockstarter.faults;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The faults of a usual build once more, with the limits of time that are given up there.
 */
@Tag("stress")
class FaultLimitTests {

	@Nested
	class Network extends NetworkFaultTests {

	}

	@Nested
	class WakeUp extends WakeUpFaultTests {

	}

	@Nested
	class Silent extends SilentConnectionTests {

	}

	@Nested
	class Process extends ProcessFaultTests {

	}

	@Nested
	class Key extends KeyFaultTests {

	}

	@Nested
	class Eviction extends EvictionTests {

	}

	@Nested
	class ClockStep extends ClockStepTests {

	}

	@Nested
	class Peers extends PeerDefectTests {

	}

	@Nested
	class Jedis extends JedisFaultTests {

	}

}
