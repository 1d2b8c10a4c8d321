package io.lockstarter.sample.rendering;

import org.jspecify.annotations.Nullable;

/**
 * A picture to be rendered.
 *
 * @param picture its number
 * @param run how often it was asked for
 * @param state how far it is
 * @param instance who renders it or has rendered it, if anybody has begun
 * @param process the number of that instance's process
 */
record Rendering(int picture, int run, State state, @Nullable String instance, @Nullable Long process) {

	boolean isAtWork() {
		return this.state == State.RENDERING;
	}

	boolean isSameWork(Rendering other) {
		return this.picture == other.picture && this.run == other.run && isAtWork() && other.isAtWork();
	}

	Rendering lost() {
		return new Rendering(this.picture, this.run, State.LOST, this.instance, this.process);
	}

	enum State {

		/** Nobody has asked for it. */
		IDLE,
		/** It waits for an instance with a permit. */
		WAITING,
		/** An instance with a permit renders it. */
		RENDERING,
		/** It is rendered. */
		DONE,
		/** The permit of who rendered it has ended before the rendering has. */
		LOST

	}

}
