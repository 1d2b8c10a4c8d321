package io.lockstarter.sample.rendering;

import org.jspecify.annotations.Nullable;

/**
 * Picture to be rendered.
 *
 * @param picture the number of the picture
 * @param run the number of requests for the picture
 * @param state the state
 * @param instance the instance that renders or has rendered the picture, or {@code null}
 * @param process the process identifier of that instance, or {@code null}
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

	/** State of a picture. */
	enum State {

		/** Not requested. */
		IDLE,
		/** Waiting for an instance with a permit. */
		WAITING,
		/** Being rendered by an instance with a permit. */
		RENDERING,
		/** Rendered. */
		DONE,
		/** Lost, because the lease of the permit expired during the rendering. */
		LOST

	}

}
