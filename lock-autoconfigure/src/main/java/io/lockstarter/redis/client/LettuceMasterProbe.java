package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lockstarter.logging.LockLog;
import io.lockstarter.redis.script.ScriptCall;

/**
 * Probe for whether Lettuce is connected to a demoted master, whose connection it drops.
 */
final class LettuceMasterProbe {

	private static final LockLog logger = LockLog.of(LettuceMasterProbe.class);

	/** Maximum wait for the reply to a probe: 1 s. */
	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final LettuceFactory factory;

	private final LettuceConnections connections;

	private final ScriptCall probe;

	private final Runnable onMaster;

	/**
	 * Creates a probe.
	 * @param probe a script call that fails on a server that accepts no writes
	 * @param onMaster is run when the current connection leads to a server that accepts
	 * writes, so that another connection must lead to the demoted master
	 */
	LettuceMasterProbe(LettuceFactory factory, LettuceConnections connections, ScriptCall probe, Runnable onMaster) {
		this.factory = factory;
		this.connections = connections;
		this.probe = probe;
		this.onMaster = onMaster;
	}

	/**
	 * Blocks until it is known whether further commands go to a server that accepts
	 * writes.
	 */
	boolean find() {
		LettuceConnection current = this.connections.ready();
		if (current == null) {
			return true;
		}
		if (acceptsWrites(current)) {
			// Other connections lead to a demoted master, or the connection was dropped.
			this.onMaster.run();
			return true;
		}
		if (this.factory.isCluster()) {
			return false;
		}
		LettuceConnection other = LettuceConnection.of(this.factory.connect());
		try {
			if (!acceptsWrites(other)) {
				return false;
			}
		}
		finally {
			other.link().closeAsync();
		}
		if (this.connections.isCurrent(current)) {
			logger.warn("Redis accepts writes on a new connection, but not on the current one, which is replaced");
			this.connections.drop();
		}
		return true;
	}

	private boolean acceptsWrites(LettuceConnection connection) {
		try {
			LettuceScripts.evaluate(connection.link(), this.probe, false).get(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			logger.debug("The server accepts no writes", ex);
			return false;
		}
	}

}
