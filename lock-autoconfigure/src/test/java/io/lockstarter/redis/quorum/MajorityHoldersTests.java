package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend.CurrentHolder;
import io.lockstarter.core.backend.LockBackend.CurrentHolders;
import io.lockstarter.core.backend.TenureId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MajorityHolders}.
 */
class MajorityHoldersTests {

	private static final LockBackendException SILENT = new LockBackendException("a", Reason.TIMEOUT, "planted", null);

	private final CurrentHolder winner = tenancy("winner");

	private final CurrentHolder loser = tenancy("loser");

	@Test
	void namesOnlyWhoMayHaveAMajority() {
		MajorityHolders census = new MajorityHolders(5);
		census.count(seen(this.winner), null);
		census.count(seen(this.winner), null);
		census.count(seen(this.loser), null);
		census.count(seen(this.loser), null);
		assertThat(census.occupancy()).as("before all have answered").isNotDone();
		census.count(seen(this.winner), null);
		assertThat(census.occupancy()).isCompletedWithValue(seen(this.winner));
	}

	@Test
	void countsServersThatAreNotHeardForEverybody() {
		MajorityHolders census = new MajorityHolders(5);
		census.count(null, SILENT);
		census.count(seen(this.winner), null);
		census.count(seen(this.winner), null);
		census.count(seen(this.loser), null);
		census.count(seen(), null);
		assertThat(census.occupancy()).isCompletedWithValue(seen(this.winner));
	}

	@Test
	void countsWhoWaitsByTheServerThatKnowsMost() {
		MajorityHolders census = new MajorityHolders(3);
		census.count(new CurrentHolders(List.of(this.winner), 1), null);
		census.count(new CurrentHolders(List.of(this.winner), 3), null);
		census.count(new CurrentHolders(List.of(this.winner), 2), null);
		assertThat(census.occupancy()).isCompletedWithValue(new CurrentHolders(List.of(this.winner), 3));
	}

	@Test
	void failsWithoutAMajorityOfAnswers() {
		MajorityHolders census = new MajorityHolders(3);
		census.count(seen(this.winner), null);
		census.count(null, SILENT);
		census.count(null, SILENT);
		assertThat(census.occupancy()).failsWithin(Duration.ofSeconds(20))
			.withThrowableOfType(ExecutionException.class)
			.withCause(SILENT);
	}

	private static CurrentHolder tenancy(String client) {
		return new CurrentHolder(new TenureId(client, 1), new Holder(client, Duration.ZERO, Duration.ofSeconds(1)), 0);
	}

	private static CurrentHolders seen(CurrentHolder... tenancies) {
		return new CurrentHolders(List.of(tenancies), 0);
	}

}
