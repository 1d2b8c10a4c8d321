package io.lockstarter.verification.fence;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import javax.sql.DataSource;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.StaleTokenException;
import io.lockstarter.fence.Fence;
import io.lockstarter.verification.fence.FenceModel.Isolation;
import io.lockstarter.verification.fence.FenceModel.State;
import io.lockstarter.verification.fence.FenceModel.Step;
import io.lockstarter.verification.fence.FenceModel.Variant;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Comparison of a real database and fence with the model, for all orders of the steps of
 * two transactions. A step waits in both or in neither, and a transaction commits in both
 * or in neither.
 */
final class RealInterleavings implements AutoCloseable {

	/** Statements that create the tables. */
	static final List<String> SCHEMA = List.of(
			"CREATE TABLE lock_fence (name VARCHAR(255) PRIMARY KEY, token BIGINT NOT NULL, touched BIGINT NOT NULL)",
			"CREATE TABLE account (id INT PRIMARY KEY, n BIGINT NOT NULL)",
			"INSERT INTO account VALUES (1, 0), (2, 0)");

	private final Connection connection;

	private final Waiting waiting;

	private final Isolation isolation;

	private final List<Session> sessions;

	/**
	 * Schedules that have not been tried, as numbers of the transactions that take a
	 * step.
	 */
	private final List<List<Integer>> untried = new ArrayList<>();

	private int tried;

	/**
	 * Prepares the orders of two transactions.
	 * @param level the isolation of transactions in JDBC
	 * @param isolation the corresponding isolation of the model
	 * @param session the query for the id of a session
	 * @param waiting the check for sessions that wait for a row lock
	 */
	RealInterleavings(DataSource database, int level, Isolation isolation, String session, Waiting waiting)
			throws SQLException {
		this.connection = database.getConnection();
		this.waiting = waiting;
		this.isolation = isolation;
		this.sessions = List.of(new Session(database, level, session), new Session(database, level, session));
	}

	/** Tries all orders, and returns their number. */
	int tryAll(int... tokens) throws SQLException {
		this.tried = 0;
		this.untried.add(List.of());
		while (!this.untried.isEmpty()) {
			run(this.untried.remove(this.untried.size() - 1), tokens);
			this.tried++;
		}
		return this.tried;
	}

	private void run(List<Integer> prefix, int... tokens) throws SQLException {
		execute("DELETE FROM lock_fence", "UPDATE account SET n = 0");
		FenceModel model = new FenceModel(Variant.CORRECT, this.isolation, tokens);
		State state = new State(tokens.length);
		for (int tx = 0; tx < tokens.length; tx++) {
			this.sessions.get(tx).begin(new Token(tokens[tx]));
		}
		List<Integer> schedule = new ArrayList<>();
		while (!state.isOver()) {
			List<Integer> ready = ready(state);
			int tx = (schedule.size() < prefix.size()) ? prefix.get(schedule.size()) : ready.get(0);
			if (schedule.size() >= prefix.size()) {
				ready.stream().skip(1).forEach((other) -> branch(schedule, other));
			}
			schedule.add(tx);
			advance(model, state, tx, schedule);
		}
		int committed = 0;
		for (int tx = 0; tx < tokens.length; tx++) {
			assertThat(this.sessions.get(tx).isCommitted()).as("T%d of %s", tx, schedule)
				.isEqualTo(state.isCommitted(tx));
			committed += state.isCommitted(tx) ? 1 : 0;
		}
		assertThat(account()).as("Account after %s", schedule).isEqualTo(committed);
	}

	private List<Integer> ready(State state) {
		return List.of(0, 1).stream().filter((tx) -> !state.isOver(tx) && !this.sessions.get(tx).isWaiting()).toList();
	}

	private void branch(List<Integer> schedule, int next) {
		List<Integer> branch = new ArrayList<>(schedule);
		branch.add(next);
		this.untried.add(branch);
	}

	/**
	 * Executes the next step of a transaction, and the step of the other one that waited
	 * for it.
	 */
	private void advance(FenceModel model, State state, int tx, List<Integer> schedule) throws SQLException {
		Session session = this.sessions.get(tx);
		Step step = model.step(state, tx);
		session.submit(step);
		boolean waits = !model.apply(state, tx);
		// In some databases, a registration waits although it will be refused
		if (!isBlocked(session) || step != Step.REGISTER || !state.isRefused(tx)) {
			assertThat(session.isWaiting()).as("T%d waits at %s of %s", tx, step, schedule).isEqualTo(waits);
		}
		Session other = this.sessions.get(1 - tx);
		if (state.isOver(tx) && other.isWaiting()) {
			other.await();
			assertThat(state.isOver(1 - tx) || model.apply(state, 1 - tx)).isTrue();
		}
		for (int each = 0; each < this.sessions.size(); each++) {
			assertThat(this.sessions.get(each).isRefused() || this.sessions.get(each).isWaiting())
				.as("T%d is refused after %s", each, schedule)
				.isEqualTo(state.isRefused(each) || this.sessions.get(each).isWaiting());
		}
	}

	/** Returns whether the step of a session waits for the end of the other session. */
	private boolean isBlocked(Session session) throws SQLException {
		while (!session.isDone()) {
			if (this.waiting.among(this.connection, session.work.id(), session.own.id())) {
				return true;
			}
		}
		session.await();
		return false;
	}

	private long account() throws SQLException {
		try (Statement statement = this.connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT n FROM account WHERE id = 1")) {
			rows.next();
			return rows.getLong(1);
		}
	}

	private void execute(String... sql) throws SQLException {
		try (Statement statement = this.connection.createStatement()) {
			for (String one : sql) {
				statement.execute(one);
			}
		}
	}

	@Override
	public void close() throws SQLException {
		for (Session session : this.sessions) {
			session.close();
		}
		this.connection.close();
	}

	/**
	 * Check for sessions of a database that wait for a row lock.
	 */
	@FunctionalInterface
	interface Waiting {

		/** Returns whether one of two sessions waits, by a query of a third one. */
		boolean among(Connection connection, int one, int other) throws SQLException;

		/** Returns a check by a query with two parameters. */
		static Waiting by(String query) {
			return (connection, one, other) -> {
				try (PreparedStatement statement = connection.prepareStatement(query)) {
					statement.setInt(1, one);
					statement.setInt(2, other);
					try (ResultSet rows = statement.executeQuery()) {
						return rows.next();
					}
				}
			};
		}

	}

	/**
	 * Connection with its id in the database.
	 *
	 * @param jdbc the connection
	 * @param id the id
	 */
	private record Numbered(Connection jdbc, int id) {

		static Numbered open(DataSource database, String query) throws SQLException {
			Connection connection = database.getConnection();
			try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(query)) {
				rows.next();
				return new Numbered(connection, rows.getInt(1));
			}
		}

	}

	/**
	 * Holder of the lock with its own thread.
	 */
	private static final class Session implements AutoCloseable {

		private final Numbered work;

		private final Numbered own;

		private final ExecutorService thread = Executors.newSingleThreadExecutor();

		private Fence fence = new Fence();

		private @Nullable LockHandle lock;

		private CompletableFuture<?> step = CompletableFuture.completedFuture(null);

		private long read;

		private boolean waiting;

		private boolean refused;

		private boolean committed;

		Session(DataSource database, int level, String query) throws SQLException {
			this.work = Numbered.open(database, query);
			this.work.jdbc().setTransactionIsolation(level);
			this.own = Numbered.open(database, query);
		}

		/** Begins again like another JVM that has acquired the lock. */
		void begin(Token token) throws SQLException {
			this.fence = new Fence();
			this.lock = token;
			this.refused = false;
			this.committed = false;
			this.work.jdbc().setAutoCommit(true);
		}

		void submit(Step next) {
			this.waiting = true;
			LockHandle lock = Objects.requireNonNull(this.lock);
			this.step = CompletableFuture.supplyAsync(() -> {
				try {
					return run(next, lock);
				}
				catch (SQLException ex) {
					throw new CompletionException(ex);
				}
			}, this.thread);
		}

		private boolean run(Step next, LockHandle lock) throws SQLException {
			switch (next) {
				case REGISTER -> this.fence.register(this.own.jdbc(), lock);
				case BEGIN -> {
					this.work.jdbc().setAutoCommit(false);
					query(2);
				}
				case READ -> this.read = query(1);
				case WRITE -> update();
				case VERIFY -> this.fence.verify(this.work.jdbc(), lock);
				case COMMIT -> this.work.jdbc().commit();
				default -> throw new IllegalArgumentException(next.name());
			}
			return next == Step.COMMIT;
		}

		private long query(int id) throws SQLException {
			try (Statement statement = this.work.jdbc().createStatement();
					ResultSet rows = statement.executeQuery("SELECT n FROM account WHERE id = " + id)) {
				rows.next();
				return rows.getLong(1);
			}
		}

		private void update() throws SQLException {
			try (Statement statement = this.work.jdbc().createStatement()) {
				statement.executeUpdate("UPDATE account SET n = " + (this.read + 1) + " WHERE id = 1");
			}
		}

		boolean isDone() {
			return this.step.isDone();
		}

		/** Returns whether the test has not observed the end of the step. */
		boolean isWaiting() {
			return this.waiting;
		}

		boolean isRefused() {
			return this.refused;
		}

		boolean isCommitted() {
			return this.committed;
		}

		/** Waits for the end of a step, which the database may refuse. */
		void await() throws SQLException {
			try {
				this.waiting = false;
				this.committed = (boolean) this.step.join();
			}
			catch (CompletionException ex) {
				if (!(ex.getCause() instanceof StaleTokenException) && !(ex.getCause() instanceof SQLException failure
						&& String.valueOf(failure.getSQLState()).startsWith("40"))) {
					throw ex;
				}
				this.refused = true;
				if (!this.work.jdbc().getAutoCommit()) {
					this.work.jdbc().rollback();
				}
			}
		}

		@Override
		public void close() throws SQLException {
			this.thread.shutdownNow();
			this.work.jdbc().close();
			this.own.jdbc().close();
		}

	}

}
