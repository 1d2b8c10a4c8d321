package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend.CurrentHolder;
import io.lockstarter.core.backend.LockBackend.CurrentHolders;
import io.lockstarter.core.backend.LockBackend.WaitQueue;
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
		MajorityHolders holders = new MajorityHolders(5);
		holders.count(seen(this.winner), null);
		holders.count(seen(this.winner), null);
		holders.count(seen(this.loser), null);
		holders.count(seen(this.loser), null);
		assertThat(holders.holders()).as("before all have answered").isNotDone();
		holders.count(seen(this.winner), null);
		assertThat(holders.holders()).isCompletedWithValue(seen(this.winner));
	}

	@Test
	void countsServersThatAreNotHeardForEverybody() {
		MajorityHolders holders = new MajorityHolders(5);
		holders.count(null, SILENT);
		holders.count(seen(this.winner), null);
		holders.count(seen(this.winner), null);
		holders.count(seen(this.loser), null);
		holders.count(seen(), null);
		assertThat(holders.holders()).isCompletedWithValue(seen(this.winner));
	}

	@Test
	void countsWhoWaitsByTheServerThatKnowsMost() {
		MajorityHolders holders = new MajorityHolders(3);
		holders.count(new CurrentHolders(List.of(this.winner), new WaitQueue(1, 1, 7)), null);
		holders.count(new CurrentHolders(List.of(this.winner), new WaitQueue(3, 1, 7)), null);
		holders.count(new CurrentHolders(List.of(this.winner), new WaitQueue(2, 1, 7)), null);
		assertThat(holders.holders())
			.isCompletedWithValue(new CurrentHolders(List.of(this.winner), new WaitQueue(3, 1, 7)));
	}

	@Test
	void failsWithoutAMajorityOfAnswers() {
		MajorityHolders holders = new MajorityHolders(3);
		holders.count(seen(this.winner), null);
		holders.count(null, SILENT);
		holders.count(null, SILENT);
		assertThat(holders.holders()).failsWithin(Duration.ofSeconds(20))
			.withThrowableOfType(ExecutionException.class)
			.withCause(SILENT);
	}

	private static CurrentHolder tenancy(String client) {
		return new CurrentHolder(new TenureId(client, 1), new Holder(client, Duration.ZERO, Duration.ofSeconds(1)), 0);
	}

	private static CurrentHolders seen(CurrentHolder... tenancies) {
		return new CurrentHolders(List.of(tenancies), WaitQueue.EMPTY);
	}

}
