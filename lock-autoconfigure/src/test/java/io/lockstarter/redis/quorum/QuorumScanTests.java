package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend.Page;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link QuorumScan}, of five servers.
 */
class QuorumScanTests {

	private final List<ScriptedNode> nodes = Stream.generate(ScriptedNode::new).limit(5).toList();

	private final QuorumServers servers = new QuorumServers(this.nodes);

	@AfterEach
	void stop() {
		this.servers.close();
	}

	@Test
	void findsWhatAnyThreeServersHave() {
		List<String> names = new ArrayList<>();
		for (int missing = 0; missing < 5; missing++) {
			for (int another = 0; another < missing; another++) {
				String name = "without-%d-%d".formatted(another, missing);
				names.add(name);
				hold(name, without(another, missing));
			}
		}
		assertThat(list(100)).containsExactlyInAnyOrderElementsOf(names);
		assertThat(list(3)).as("page by page").containsExactlyInAnyOrderElementsOf(names);
	}

	private static int[] without(int one, int other) {
		return IntStream.range(0, 5).filter((server) -> server != one && server != other).toArray();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2, 3, 4 })
	void goesThroughAnotherServerInPlaceOfOneThatFails(int failing) {
		for (int other = 0; other < 5; other++) {
			if (other != failing) {
				hold("without-" + other, without(other, failing));
			}
		}
		this.nodes.get(failing).deaf = true;
		assertThat(list(100)).hasSize(4);
		assertThat(list(1)).as("page by page").hasSize(4);
	}

	@Test
	void waitsNotLongForAServerThatIsSilent() {
		hold("a", 0, 1, 2);
		this.nodes.get(0).silent = true;
		assertThat(list(100)).containsExactly("a");
	}

	@Test
	void goesOnWithoutAServerThatFailsBetweenTwoPages() {
		hold("a", 0, 1, 2);
		hold("b", 0, 3, 4);
		hold("c", 0, 2, 3);
		Page first = page("", 1);
		assertThat(first.names()).containsExactly("a");
		this.nodes.get(0).deaf = true;
		assertThat(page(first.next(), 10).names()).contains("b", "c");
	}

	@ParameterizedTest
	@CsvSource({ "0, 1", "1, 10" })
	void failsWithoutAMajority(int firstFailing, int size) {
		hold("a", 0, 1, 2, 3);
		this.nodes.subList(firstFailing, firstFailing + 3).forEach((node) -> node.deaf = true);
		assertThat(scan("", size)).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOfSatisfying(LockBackendException.class,
					(failure) -> assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE));
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "0", "0.0", "0.0.x", "100.0.0-0", "0.100.0-0", "0-0", "0.0.0-0.1" })
	void refusesWhatNoPageHasSaid(String from) {
		assertThatIllegalArgumentException().isThrownBy(() -> QuorumScan.Position.of(from)).withMessageContaining(from);
	}

	@Test
	void refusesAPositionBehindTheLastServer() {
		assertThat(scan("0.5.", 1)).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(IllegalArgumentException.class)
			.withMessageContaining("0.5.");
	}

	private void hold(String name, int... servers) {
		for (int server : servers) {
			this.nodes.get(server).locks.add(name);
		}
	}

	private Set<String> list(int size) {
		Page page = page("", size);
		Set<String> names = new TreeSet<>(page.names());
		while (!page.next().isEmpty()) {
			assertThat(page.names()).hasSizeGreaterThanOrEqualTo(size).doesNotHaveDuplicates();
			page = page(page.next(), size);
			names.addAll(page.names());
		}
		assertThat(page.names()).doesNotHaveDuplicates();
		return names;
	}

	private Page page(String from, int size) {
		return scan(from, size).join();
	}

	private CompletableFuture<Page> scan(String from, int size) {
		return new QuorumScan(this.servers, size).from(QuorumScan.Position.of(from));
	}

}
