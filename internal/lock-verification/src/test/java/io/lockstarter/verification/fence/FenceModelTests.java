package io.lockstarter.verification.fence;

import java.util.List;
import java.util.stream.Stream;

import io.lockstarter.verification.fence.FenceModel.Isolation;
import io.lockstarter.verification.fence.FenceModel.Search;
import io.lockstarter.verification.fence.FenceModel.Variant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of all orders of the steps of two and three transactions in a model of row locks.
 * Equal tokens stand for a Redis that has lost its data and whose clock was set back.
 */
class FenceModelTests {

	private static final List<int[]> TOKENS = List.of(new int[] { 1, 2 }, new int[] { 1, 1 }, new int[] { 1, 2, 3 },
			new int[] { 1, 1, 2 }, new int[] { 1, 2, 2 });

	private static Stream<Search> searches(Variant variant, Isolation isolation) {
		return TOKENS.stream().map((tokens) -> new FenceModel(variant, isolation, tokens).search());
	}

	private static void isSafe(Variant variant, Isolation isolation) {
		assertThat(searches(variant, isolation)).allSatisfy((search) -> {
			assertThat(search.loss()).isEmpty();
			assertThat(search.ends()).isPositive();
		});
	}

	private static void isCaught(Variant variant, Isolation isolation) {
		assertThat(searches(variant, isolation)).anySatisfy((search) -> assertThat(search.loss()).isNotEmpty());
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "READ_UNCOMMITTED")
	void losesNoUpdateInAnyOrder(Isolation isolation) {
		isSafe(Variant.CORRECT, isolation);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "READ_UNCOMMITTED", "LOCKING" })
	void nobodyWaitsForever(Isolation isolation) {
		assertThat(searches(Variant.CORRECT, isolation)).extracting(Search::deadlocks).containsOnly(0);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "READ_UNCOMMITTED")
	void mayWriteBetweenVerificationAndCommit(Isolation isolation) {
		isSafe(Variant.WRITTEN_LATE, isolation);
	}

	/** Checks a lost update by dirty reads. The fence refuses such transactions. */
	@Test
	void protectsNothingThatReadsUncommitted() {
		isCaught(Variant.CORRECT, Isolation.READ_UNCOMMITTED);
	}

	@Test
	void mayRegisterInTransactionThatReadsCommitted() {
		isSafe(Variant.REGISTERED_INSIDE, Isolation.READ_COMMITTED);
		isCaught(Variant.READ_BEFORE, Isolation.READ_COMMITTED);
	}

	/** Checks a lost update that the fence prevents by refusing the call. */
	@Test
	void registrationInTransactionWithOlderSnapshotIsCaught() {
		isCaught(Variant.REGISTERED_INSIDE, Isolation.SNAPSHOT_OVERWRITTEN);
	}

	@ParameterizedTest
	@EnumSource(names = { "UNFENCED", "UNVERIFIED", "VERIFIED_BEFORE", "NOT_LOCKED", "EQUAL_ADMITTED" })
	void mistakeIsCaught(Variant mistake) {
		isCaught(mistake, Isolation.READ_COMMITTED);
		isCaught(mistake, Isolation.SNAPSHOT_OVERWRITTEN);
	}

	/** Checks isolation in which the database itself refuses conflicting writes. */
	@ParameterizedTest
	@EnumSource(names = { "SNAPSHOT", "LOCKING" })
	void needsNoFenceWithSomeIsolation(Isolation isolation) {
		isSafe(Variant.UNFENCED, isolation);
	}

}
