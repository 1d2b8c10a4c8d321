package io.lockstarter.sample.rendering;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import io.lockstarter.sample.SampleProperties;
import io.lockstarter.sample.rendering.Rendering.State;
import jakarta.annotation.PostConstruct;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Pictures in the database that all instances share.
 */
@Component
class Renderings {

	/** Number of pictures. */
	private static final int PICTURES = 8;

	private final JdbcClient jdbc;

	private final String instance;

	private final long process = ProcessHandle.current().pid();

	Renderings(JdbcClient jdbc, SampleProperties sample) {
		this.jdbc = jdbc;
		this.instance = sample.instance();
	}

	@PostConstruct
	void open() {
		IntStream.rangeClosed(1, PICTURES).forEach(this::add);
	}

	private void add(int picture) {
		try {
			this.jdbc.sql("insert into rendering (picture, run, state) values (?, 0, ?)")
				.params(picture, State.IDLE.name())
				.update();
		}
		catch (DuplicateKeyException ex) {
			// Added by another instance, or by an earlier run
		}
	}

	/**
	 * Requests all pictures again.
	 */
	void startOver() {
		this.jdbc.sql("update rendering set run = run + 1, state = ?, instance = null, process = null")
			.param(State.WAITING.name())
			.update();
	}

	List<Rendering> all() {
		return this.jdbc.sql("select * from rendering order by picture").query(Renderings::rendering).list();
	}

	boolean anyWaiting() {
		return all().stream().anyMatch((rendering) -> rendering.state() == State.WAITING);
	}

	/**
	 * Claims a waiting picture for this instance.
	 * @return the picture, or empty if no picture is waiting or others have claimed all
	 */
	Optional<Rendering> claim() {
		return all().stream().filter((rendering) -> rendering.state() == State.WAITING).filter(this::claim).findFirst();
	}

	private boolean claim(Rendering rendering) {
		return this.jdbc.sql(
				"update rendering set state = ?, instance = ?, process = ? where picture = ? and run = ? and state = ?")
			.params(State.RENDERING.name(), this.instance, this.process, rendering.picture(), rendering.run(),
					State.WAITING.name())
			.update() == 1;
	}

	/**
	 * Records the end of the work on a picture, unless it is already recorded.
	 * @param rendering the picture
	 * @param end the new state
	 */
	void end(Rendering rendering, State end) {
		this.jdbc.sql("update rendering set state = ? where picture = ? and run = ? and state = ?")
			.params(end.name(), rendering.picture(), rendering.run(), State.RENDERING.name())
			.update();
	}

	private static Rendering rendering(ResultSet row, int number) throws SQLException {
		return new Rendering(row.getInt("picture"), row.getInt("run"), State.valueOf(row.getString("state")),
				row.getString("instance"), row.getObject("process", Long.class));
	}

}
