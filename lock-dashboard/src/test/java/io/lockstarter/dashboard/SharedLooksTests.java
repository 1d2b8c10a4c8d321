package io.lockstarter.dashboard;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.core.LockMonitor;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

class SharedLooksTests {

	private final AtomicLong nanoTime = new AtomicLong();

	private final SharedLooks looks = new SharedLooks(200, this.nanoTime::get);

	private final LockMonitor monitor = mock();

	@Test
	void asksTheBackendOnceForAllWhoLookWithinAMoment() {
		SharedLooks.Look first = this.looks.at(this.monitor, null);
		this.nanoTime.addAndGet(Duration.ofMillis(800).toNanos());
		for (int i = 0; i < 50; i++) {
			assertThat(this.looks.at(this.monitor, null)).isSameAs(first);
		}
		assertThat(this.looks.age(first)).hasMillis(800);
		verify(this.monitor, times(1)).locks("", 200);
		verify(this.monitor, times(1)).health();
		this.nanoTime.addAndGet(Duration.ofMillis(100).toNanos());
		assertThat(this.looks.at(this.monitor, null)).isNotSameAs(first);
		verify(this.monitor, times(2)).locks("", 200);
	}

	@Test
	void sharesNothingBetweenRegistriesOrPages() {
		LockMonitor other = mock();
		SharedLooks.Look first = this.looks.at(this.monitor, null);
		assertThat(this.looks.at(other, null)).isNotSameAs(first);
		assertThat(this.looks.at(this.monitor, "0-17")).isNotSameAs(first);
		verify(this.monitor).locks("0-17", 200);
		assertThat(this.looks.at(this.monitor, null)).isSameAs(first);
	}

}
