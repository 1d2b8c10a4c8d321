package io.lockstarter.fence;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

import io.lockstarter.verification.mistakes.Mistake;
import net.bytebuddy.asm.Advice;

import org.springframework.transaction.TransactionExecution;

import static io.lockstarter.verification.mistakes.Plant.advice;
import static io.lockstarter.verification.mistakes.Plant.nothing;

/**
 * Planted mistakes of the fence.
 */
public final class FenceMistakes {

	private static final String SMOKE = "verification.fence.FencedCommits#losesNoUpdateInPostgres";

	private static final String INTERLEAVINGS = "verification.fence.RealInterleavings#databaseAgreesWithModelInH2";

	/**
	 * All mistakes of the fence.
	 */
	public static final List<Mistake> ALL = List.of(
			new Mistake("fence-before-work", "A token is compared before the work instead of before the commit.", 6,
					nothing(CommitVerifier.class, "beforeCommit"), SMOKE),
			new Mistake("fence-inside-unverified", "A transaction that begins in the locked method is not verified.", 6,
					advice(CommitVerifier.class, OfMethodOnly.class, "beforeCommit"), SMOKE),
			new Mistake("fence-row-not-locked", "The row is compared before the commit, but not locked until then.", 6,
					advice(Fence.class, NotLocked.class, "touch"), INTERLEAVINGS),
			new Mistake("fence-equal-token", "A token that is not higher than the last one is registered.", 6,
					advice(Fence.class, EqualAdmitted.class, "raise"), INTERLEAVINGS),
			new Mistake("fence-old-snapshot",
					"A token is registered although the caller's transaction has an older snapshot.", 6,
					nothing(TransactionFence.class, "requireNewSnapshots"),
					"verification.fence.FencedCommits#refusesCallersWhoseSnapshotsMayBeOlder"));

	private FenceMistakes() {
	}

	/**
	 * Returns a connection that changes the text of prepared statements.
	 * @param connection the connection
	 * @param text the text to replace
	 * @param replacement the replacement
	 * @return the connection
	 */
	public static Connection rewriting(Connection connection, String text, String replacement) {
		return (Connection) Proxy.newProxyInstance(FenceMistakes.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("prepareStatement")) {
						arguments[0] = String.valueOf(arguments[0]).replace(text, replacement);
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	/**
	 * Compares a token without locking its row.
	 * @param connection the connection of the transaction
	 * @param row the name of the row
	 * @param token the token
	 * @return {@code true} if the row has the token
	 * @throws SQLException if the database failed
	 */
	public static boolean has(Connection connection, String row, long token) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement("SELECT token FROM lock_fence WHERE name = ?")) {
			statement.setString(1, row);
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next() && rows.getLong(1) == token;
			}
		}
	}

	static final class OfMethodOnly {

		@Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
		static boolean enter(@Advice.Argument(0) TransactionExecution transaction) {
			return transaction.getTransactionName().isEmpty();
		}

	}

	static final class NotLocked {

		@Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
		static boolean enter() {
			return true;
		}

		@Advice.OnMethodExit
		static void exit(@Advice.Argument(0) Connection connection, @Advice.Argument(1) String row,
				@Advice.Argument(2) long token, @Advice.Return(readOnly = false) boolean result) throws SQLException {
			result = has(connection, row, token);
		}

	}

	static final class EqualAdmitted {

		@Advice.OnMethodEnter
		static void enter(@Advice.Argument(value = 0, readOnly = false) Connection connection) {
			connection = rewriting(connection, "token < ?", "token <= ?");
		}

	}

}
