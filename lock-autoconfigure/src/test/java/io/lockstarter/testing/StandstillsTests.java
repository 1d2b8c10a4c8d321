package io.lockstarter.testing;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class StandstillsTests {

	private final Standstills standstills = new Standstills();

	@Test
	void knowsNoneAtFirst() {
		assertThat(between(0, 1000)).isZero();
	}

	@Test
	void takesNoShortDelayForAStandstill() {
		look(100, 109);
		assertThat(between(0, 1000)).isZero();
	}

	@Test
	void addsUpWhatLiesWithinTheTimeAskedFor() {
		look(100, 150);
		look(200, 240);
		look(300, 400);
		assertThat(between(0, 1000)).hasMillis(190);
		assertThat(between(120, 350)).hasMillis(120);
		assertThat(between(150, 200)).isZero();
		assertThat(between(310, 320)).hasMillis(10);
	}

	@Test
	void seesThisJvmStopped() throws Exception {
		Standstills watched = Standstills.watched();
		long start = System.nanoTime();
		String stopForAWhile = "kill -s STOP $PPID; sleep 0.2; kill -s CONT $PPID";
		Process process = new ProcessBuilder("sh", "-c", stopForAWhile).start();
		assertThat(process.waitFor()).isZero();
		await().until(() -> watched.between(start, System.nanoTime()).compareTo(Duration.ofMillis(150)) > 0);
	}

	private void look(long before, long now) {
		this.standstills.looked(TimeUnit.MILLISECONDS.toNanos(before), TimeUnit.MILLISECONDS.toNanos(now));
	}

	private Duration between(long from, long to) {
		return this.standstills.between(TimeUnit.MILLISECONDS.toNanos(from), TimeUnit.MILLISECONDS.toNanos(to));
	}

}
