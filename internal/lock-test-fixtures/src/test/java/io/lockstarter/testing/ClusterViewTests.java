package io.lockstarter.testing;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClusterView}, with {@link ClusterEntry}.
 */
class ClusterViewTests {

	private final ClusterView view = viewOf("aa 127.0.0.1:12001@22001 myself,master - 0 0 1 connected 0-9 20 30-39",
			"bb 127.0.0.1:12002@22002 master,fail - 0 0 4 connected 10-19 [30->-aa]",
			"cc 127.0.0.1:12003@22003 slave bb 0 0 4 connected",
			"cc 127.0.0.1:12003@22003 myself,slave aa 0 0 4 connected",
			"bb 127.0.0.1:12002@22002 myself,master - 0 0 5 connected 0-5 10-19 20",
			"dd 127.0.0.1:12004@22004 master - 0 0 2 disconnected 10-19");

	@Test
	void claimOfTheHighestEpochPrevails() {
		assertThat(List.of(0, 5, 6, 9, 10, 20, 30, 39)).map(this::ownerOf)
			.containsExactly("bb", "bb", "aa", "aa", "bb", "bb", "aa", "aa");
		assertThat(this.view.ownerOf(40)).isEmpty();
	}

	@Test
	void nodeIsNoMasterWhenNoClaimOfItPrevails() {
		assertThat(this.view.masterPorts()).containsExactlyInAnyOrder(12001, 12002);
	}

	@Test
	void replicaIsBelievedWhatItSaysItself() {
		assertThat(this.view.replicaOf("aa")).map(ClusterEntry::port).contains(12003);
		assertThat(this.view.replicaOf("bb")).isEmpty();
	}

	private String ownerOf(int slot) {
		return this.view.ownerOf(slot).map(ClusterEntry::id).orElseThrow();
	}

	private static ClusterView viewOf(String... lines) {
		return new ClusterView(Stream.of(lines).map(ClusterEntry::parse).toList());
	}

}
