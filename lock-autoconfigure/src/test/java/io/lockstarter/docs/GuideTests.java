package io.lockstarter.docs;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.example.Shop;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.docs.GuideSnippets.Receipt;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What README.md, docs/guide.md and the pages of docs/reference show compiles and does
 * what they say.
 */
class GuideTests {

	private static final String SNIPPETS = Page.source(GuideSnippets.class) + Page.source(Shop.class)
			+ Page.source(LockAdvice.class) + Page.source(QuickStartTests.class) + Page.source(FencingSnippets.class)
			+ Page.withoutLayout(Page.of("extras", "lock-test-support", "src", "test", "java", "io", "lockstarter",
					"test", "TestingGuideTests.java")
				.text());

	private final InMemoryLockBackend backend = new InMemoryLockBackend(new InMemoryLockStore());

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("here", Duration.ofSeconds(20), Duration.ofSeconds(30), null, false, 64), List.of());

	private final GuideSnippets snippets = new GuideSnippets(this.registry);

	@AfterEach
	void close() {
		this.registry.close();
		this.backend.close();
	}

	@ParameterizedTest
	@MethodSource
	void showsOnlyCodeThatCompiles(String line) {
		assertThat(Page.shows(SNIPPETS, line)).as(line).isTrue();
	}

	static Stream<String> showsOnlyCodeThatCompiles() {
		List<Page> pages = List.of(Page.of("README.md"), Page.of("docs", "guide.md"),
				Page.of("docs", "reference", "annotation.md"), Page.of("docs", "reference", "api.md"),
				Page.of("docs", "reference", "properties.md"));
		assertThat(pages).allSatisfy((page) -> assertThat(page.lines()).hasSizeGreaterThan(5));
		return pages.stream().flatMap(Page::lines).distinct();
	}

	/** Without it, two instances may execute a job one after the other. */
	@Test
	void everyScheduledJobHoldsItsLockForAMinimumTime() {
		List<String> jobs = Stream
			.of(Page.of("README.md"), Page.of("docs", "guide.md"), Page.of("docs", "migration.md"),
					Page.of("docs", "reference", "annotation.md"))
			.flatMap((page) -> page.blocks().stream())
			.filter((block) -> block.contains("@Scheduled") && block.contains("@DistributedLock"))
			.toList();
		assertThat(jobs).hasSizeGreaterThanOrEqualTo(3)
			.allSatisfy((block) -> assertThat(block).contains("holdAtLeast"));
	}

	@Test
	void executesUnderTheLock() throws Exception {
		CompletableFuture<Receipt> sent = this.snippets.execute("42");
		assertThat(sent).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(new Receipt("42"));
		assertThat(this.registry.heldCount()).isZero();
	}

	@Test
	void readsOnAfterWriting() {
		this.snippets.readWrite();
		assertThat(this.snippets.published).containsExactly(LockType.READ);
		assertThat(this.registry.heldCount()).isZero();
	}

	@Test
	void tellsWhetherALockIsHeld() throws InterruptedException {
		assertThat(this.snippets.ask()).startsWith("false");
		try (LockHandle other = hold("report")) {
			assertThat(this.snippets.ask()).startsWith("true");
		}
	}

	@Test
	void catchesWhateverIsThrownAboutALock() {
		this.snippets.catchAll(() -> this.registry.get("report").unlock());
		this.snippets.catchAll(() -> {
			this.registry.get(LockRequest.of("report").type(LockType.READ)).lock();
			this.registry.get("report").lock();
		});
		assertThat(this.registry.heldCount()).isOne();
	}

	@Test
	void handsALockOverToAnotherThread() throws InterruptedException {
		CompletableFuture<Runnable> handed = new CompletableFuture<>();
		this.snippets.handOver(handed::complete);
		assertThat(this.registry.heldCount()).isOne();
		CompletableFuture.runAsync(handed.join()).join();
		assertThat(this.registry.heldCount()).isZero();
	}

	@Test
	void putsPipelinesUnderTheLock() {
		assertThat(Flux.concat(this.snippets.reactive("42")).collectList().block(Duration.ofSeconds(20)))
			.containsExactly(new Receipt("42"), new Receipt("42"), new Receipt("42 fenced"));
		assertThat(this.registry.heldCount()).isZero();
	}

	@Test
	void goesOtherwiseWhereAPipelineDoesNotGetTheLock() throws InterruptedException {
		try (LockHandle other = hold("order-42")) {
			assertThat(this.snippets.reactive("42").get(1).block(Duration.ofSeconds(20)))
				.isEqualTo(new Receipt("42 later"));
		}
	}

	@Test
	void withdrawsTheRequestOfASubscriberThatCancels() throws InterruptedException {
		try (LockHandle other = hold("order-42")) {
			Disposable subscription = this.snippets.reactive("42").get(0).subscribe();
			await().until(() -> this.registry.waitingCount() == 1);
			subscription.dispose();
			await().until(() -> this.registry.waitingCount() == 0);
		}
		assertThat(this.registry.heldCount()).isZero();
	}

	@Test
	void takesALockAway() throws InterruptedException {
		LockHandle formerHolder = hold("report");
		assertThat(this.snippets.force()).hasSize(1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(formerHolder::close);
	}

	private LockHandle hold(String name) throws InterruptedException {
		return this.registry.acquire(LockRequest.of(name).owner(LockOwner.create("other")));
	}

}
