package io.lockstarter.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Names and labels that come from outside cannot forge a line of a log, nor turn it
 * round.
 */
class TextFromOutsideTests {

	private static final String FORGED = "job\n2026-01-01 WARN all is lost\u202e";

	private static final String SHOWN = "job\\u000A2026-01-01 WARN all is lost\\u202E";

	/** Bidirectional, invisible, tag, unpaired. */
	@ParameterizedTest
	@ValueSource(strings = { "\u202a", "\u202e", "\u2066", "\u2069", "\u200e", "\u061c", "\u200b", "\u200d", "\u2060",
			"\ufeff", "\u00ad", "\u2029", "\u0000", "\u007f", "\u009b" })
	void showsWhatCannotBeSeen(String control) {
		assertThat(OneLine.of("a" + control + "b")).isEqualTo("a\\u%04Xb".formatted((int) control.charAt(0)));
	}

	@Test
	void showsWhatTakesTwoCharactersAndCannotBeSeen() {
		assertThat(OneLine.of("a\udb40\udc41b")).isEqualTo("a\\uDB40\\uDC41b");
		assertThat(OneLine.of("a\ud83db")).isEqualTo("a\\uD83Db");
	}

	@Test
	void leavesWhatCanBeSeen() {
		String text = "order:\u00e4 \u05d0 \u0645 \ud83d\ude00\\n'";
		assertThat(OneLine.of(text)).isSameAs(text);
	}

	@Test
	void showsOwnersInExceptions() {
		LockOwner owner = LockOwner.create(FORGED);
		assertThat(new LockNotHeldException(FORGED, owner)).hasMessageContaining("'" + SHOWN + "'")
			.hasMessageContaining("(" + SHOWN + "#");
		assertThat(new LockNotHeldException(FORGED, owner).lockName()).isEqualTo(FORGED);
		assertThat(new LockUpgradeException("name", owner)).hasMessageContaining(SHOWN);
		LockLoss loss = new LockLoss("name", FORGED, LockType.REENTRANT, owner, 1, LockLoss.Reason.NOT_OWNED,
				Instant.now(), Duration.ofSeconds(1), null);
		assertThat(loss.toString()).contains("by " + SHOWN);
	}

	@Test
	void showsHoldersOnOneLine() {
		Holder holder = new Holder("orders/" + FORGED, Duration.ofSeconds(1), Duration.ofSeconds(1));
		assertThat(holder.toString()).contains("orders/" + SHOWN);
		assertThat(holder.label()).as("for those who look it up").endsWith(FORGED);
	}

	@Test
	void showsRequestsThatContradictThemselvesOnOneLine() {
		try (DefaultLockRegistry registry = registry()) {
			LockRequest request = LockRequest.of(FORGED);
			assertThatIllegalArgumentException()
				.isThrownBy(() -> registry.acquireAll(
						List.of(request.owner(LockOwner.create("one")), request.owner(LockOwner.create(FORGED)))))
				.withMessageContaining(SHOWN)
				.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("\n", "\u202e"));
			assertThatExceptionOfType(IllegalArgumentException.class)
				.isThrownBy(() -> registry.acquire(request.leaseTime(Duration.ofMillis(1))))
				.satisfies((ex) -> assertThat(ex.getMessage()).contains(SHOWN).doesNotContain("\n"));
			assertThatExceptionOfType(UnsupportedOperationException.class)
				.isThrownBy(() -> registry.get(FORGED).newCondition())
				.satisfies((ex) -> assertThat(ex.getMessage()).contains(SHOWN).doesNotContain("\n"));
		}
	}

	@Test
	void showsAForcedReleaseOnOneLine() throws Exception {
		Logger logger = (Logger) LoggerFactory.getLogger("io.lockstarter.engine");
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		logger.addAppender(log);
		logger.setLevel(Level.WARN);
		try (DefaultLockRegistry registry = registry()) {
			registry.acquire(LockRequest.of(FORGED).owner(LockOwner.create(FORGED)));
			registry.forceRelease(FORGED);
		}
		finally {
			logger.setLevel(null);
			logger.detachAppender(log);
		}
		assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage)
			.anySatisfy((line) -> assertThat(line)
				.contains("Lock '" + SHOWN + "' was force-released; it was held by one/" + SHOWN)
				.doesNotContain("\n", "\u202e"));
	}

	private static DefaultLockRegistry registry() {
		return new DefaultLockRegistry(new InMemoryLockBackend(new InMemoryLockStore()),
				new EngineSettings("one", Duration.ofSeconds(1), Duration.ofSeconds(30), null, false, 0), List.of());
	}

}
