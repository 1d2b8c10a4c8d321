package io.lockstarter.redis.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When servers are searched for a master.
 */
class MasterSearchTests {

	private final BlockingQueue<Runnable> searches = new LinkedBlockingQueue<>();

	private final AtomicBoolean found = new AtomicBoolean();

	private final MasterSearch search = new MasterSearch(this.found::get, this.searches::add);

	@Test
	void commandsShareTheCurrentSearch() {
		List<CompletableFuture<Boolean>> refused = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			refused.add(this.search.find());
		}
		assertThat(this.searches).hasSize(1);
		this.searches.remove().run();
		assertThat(refused).allSatisfy((outcome) -> assertThat(outcome).isDone());
	}

	@Test
	void searchThatHasSucceededIsFollowedByAnotherAtOnce() {
		this.found.set(true);
		this.search.find();
		this.searches.remove().run();
		this.search.find();
		assertThat(this.searches).hasSize(1);
	}

	@Test
	void searchFailsForWhichThereIsNoThread() {
		MasterSearch refusing = new MasterSearch(this.found::get, (task) -> {
			throw new RejectedExecutionException("full");
		});
		assertThat(refusing.find()).isCompletedWithValue(false);
	}

}
