package io.lockstarter.sample.rendering;

import java.time.Duration;
import java.util.Optional;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.sample.SampleProperties;
import io.lockstarter.sample.rendering.Rendering.State;

import org.springframework.stereotype.Service;

/**
 * Renderer of pictures. Over all instances, the number of pictures rendered at a time is
 * limited by the permits.
 */
@Service
public class Renderer {

	static final String LOCK = "render";

	private final Renderings renderings;

	private final Duration duration;

	Renderer(Renderings renderings, SampleProperties sample) {
		this.renderings = renderings;
		this.duration = sample.rendering().duration();
	}

	/**
	 * Renders a waiting picture, if there is one.
	 * @throws InterruptedException if the thread is interrupted; the picture is waiting
	 * again then
	 */
	@DistributedLock(name = LOCK, permits = "${sample.rendering.permits}", waitTime = "1m")
	public void renderNext() throws InterruptedException {
		Optional<Rendering> next = this.renderings.claim();
		if (next.isPresent()) {
			render(next.get());
		}
	}

	private void render(Rendering rendering) throws InterruptedException {
		State end = State.WAITING;
		try {
			Thread.sleep(this.duration.toMillis());
			end = State.DONE;
		}
		finally {
			this.renderings.end(rendering, end);
		}
	}

}
