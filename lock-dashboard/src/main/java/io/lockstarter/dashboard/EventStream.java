package io.lockstarter.dashboard;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * Sends a viewer every second what the page would ask for, as
 * <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html">server-sent
 * events</a>. The id of an event tells how many milliseconds after the beginning of the
 * stream it was made. A stream ends by itself, so that whoever wants to go on is asked
 * for a login again.
 */
final class EventStream {

	/** How long a stream lasts. */
	static final Duration LENGTH = Duration.ofSeconds(30);

	private static final long PERIOD_NANOS = Duration.ofSeconds(1).toNanos();

	private final DashboardData data;

	private final SecurityContext viewer;

	private final @Nullable String registry;

	private final boolean mayRelease;

	private final BooleanSupplier permitted;

	private final Function<Object, String> json;

	/**
	 * A stream for a viewer.
	 * @param registry which of several registries, if not the default one
	 * @param mayRelease whether the viewer may take locks away
	 * @param permitted whether the page may be seen, asked every second
	 * @param json writes the data of an event
	 */
	EventStream(DashboardData data, SecurityContext viewer, @Nullable String registry, boolean mayRelease,
			BooleanSupplier permitted, Function<Object, String> json) {
		this.data = data;
		this.viewer = viewer;
		this.registry = registry;
		this.mayRelease = mayRelease;
		this.permitted = permitted;
		this.json = json;
	}

	/**
	 * Send events until the stream has lasted for long enough.
	 * @throws IOException if nobody reads any more
	 */
	void send(Output output) throws IOException, InterruptedException {
		long begun = System.nanoTime();
		SharedLooks.Look look = null;
		for (long due = begun; due - begun < LENGTH.toNanos() && this.permitted.getAsBoolean(); due = next(due)) {
			TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
			output.write(event("instance", begun, this.data.ofInstance(this.viewer, this.registry, this.mayRelease)));
			// If Redis does not answer, what the instance knows is sent all the same
			look = (look != null) ? look : this.data.look(this.registry, null);
			if (look.isOverWithin(due + PERIOD_NANOS - System.nanoTime())) {
				output.write(event("cluster", begun, this.data.ofCluster(this.viewer, this.registry, look)));
				look = null;
			}
		}
	}

	private String event(String name, long begun, Object data) {
		long madeAt = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
		// The application may want its JSON to be indented
		String lines = this.json.apply(data).lines().collect(Collectors.joining("\ndata: "));
		return String.format(Locale.ROOT, "id: %d\nevent: %s\ndata: %s\n\n", madeAt, name, lines);
	}

	/** A second later, or now if a slow viewer has taken longer. */
	private static long next(long due) {
		long now = System.nanoTime();
		return (now - due > 2 * PERIOD_NANOS) ? now : due + PERIOD_NANOS;
	}

	/**
	 * Where events go to.
	 */
	@FunctionalInterface
	interface Output {

		/**
		 * Send an event at once.
		 * @throws IOException if nobody reads any more
		 */
		void write(String event) throws IOException;

	}

}
