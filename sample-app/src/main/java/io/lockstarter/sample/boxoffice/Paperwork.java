package io.lockstarter.sample.boxoffice;

import java.time.Duration;

import io.lockstarter.sample.SampleProperties;

import org.springframework.stereotype.Component;

/**
 * Delay between reading and writing, during which another instance could write.
 */
@Component
class Paperwork {

	private final Duration duration;

	Paperwork(SampleProperties properties) {
		this.duration = properties.paperwork();
	}

	void fillIn() {
		try {
			Thread.sleep(this.duration.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted during the paperwork", ex);
		}
	}

}
