package io.lockstarter.sample.experiments;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockHandle;
import io.lockstarter.sample.SampleProperties;
import io.lockstarter.sample.experiments.Event.Kind;
import jakarta.annotation.PreDestroy;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * Events of all instances, in the database that they share, which stays available during
 * an outage of Redis. A caller that adds an event does not wait for the database.
 */
@Component
class Diary {

	private static final Log logger = LogFactory.getLog(Diary.class);

	/** Maximum number of events in the database. */
	private static final int LENGTH = 200;

	private final JdbcClient jdbc;

	private final String instance;

	/** Single thread, which preserves the order. Events after shutdown are discarded. */
	private final ThreadPoolExecutor writer = new ThreadPoolExecutor(0, 1, 1, TimeUnit.MINUTES,
			new LinkedBlockingQueue<>(), new CustomizableThreadFactory("diary-"),
			new ThreadPoolExecutor.DiscardPolicy());

	Diary(JdbcClient jdbc, SampleProperties sample) {
		this.jdbc = jdbc;
		this.instance = sample.instance();
	}

	void add(Experiment experiment, Kind kind, LockHandle lock, String text) {
		add(experiment, kind, lock.fencingToken(), text);
	}

	void add(Experiment experiment, Kind kind, @Nullable Long token, String text) {
		Instant at = Instant.now();
		this.writer.execute(() -> {
			try {
				write(at, experiment, kind, token, text);
			}
			catch (DataAccessException ex) {
				logger.warn("An event will be missing on the page of the experiments: this instance " + text, ex);
			}
		});
	}

	private void write(Instant at, Experiment experiment, Kind kind, @Nullable Long token, String text) {
		this.jdbc
			.sql("insert into event (happened_at, instance, experiment, kind, token, text) values (?, ?, ?, ?, ?, ?)")
			.param(Timestamp.from(at))
			.param(this.instance)
			.param(experiment.name())
			.param(kind.name())
			.param(token)
			.param(text)
			.update();
		this.jdbc.sql("delete from event where id <= (select max(id) from event) - ?").param(LENGTH).update();
	}

	/**
	 * Returns the latest events.
	 * @return events of all instances, oldest first
	 */
	List<Event> latest() {
		List<Event> events = new ArrayList<>(
				this.jdbc.sql("select * from event order by id desc limit ?").param(LENGTH).query(Diary::event).list());
		Collections.reverse(events);
		return events;
	}

	@PreDestroy
	void close() throws InterruptedException {
		this.writer.shutdown();
		if (!this.writer.awaitTermination(2, TimeUnit.SECONDS)) {
			logger.warn("The last events were not written within 2 s");
		}
	}

	static String text(Duration duration) {
		return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
	}

	private static Event event(ResultSet row, int number) throws SQLException {
		return new Event(row.getLong("id"), row.getTimestamp("happened_at").toInstant(), row.getString("instance"),
				Experiment.valueOf(row.getString("experiment")), Kind.valueOf(row.getString("kind")),
				row.getString("token"), row.getString("text"));
	}

}
