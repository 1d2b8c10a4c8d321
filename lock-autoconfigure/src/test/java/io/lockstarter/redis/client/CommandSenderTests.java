package io.lockstarter.redis.client;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.contract.Actor;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.redis.client.RedisFailure.Kind;
import io.lockstarter.redis.script.LuaScript;
import io.lockstarter.redis.script.Reply;
import io.lockstarter.redis.script.ScriptCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * After which answers it is seen whether nodes have changed.
 */
class CommandSenderTests {

	private static final String CLUSTERDOWN = "CLUSTERDOWN Hash slot not served";

	private static final String TRYAGAIN = "TRYAGAIN Multiple keys request during rehashing of slot";

	private final RedisClient client = mock();

	private final CommandSender commands = new CommandSender(this.client);

	@ParameterizedTest
	@ValueSource(strings = { "READONLY You can't write against a read only replica.",
			"NOREPLICAS Not enough good replicas to write.",
			"ERR Error running script: @user_script: 1: -NOREPLICAS Not enough good replicas to write." })
	void looksForAnotherMasterWhereThisOneTakesNoWrites(String answer) {
		send(answer);
		verify(this.client).refreshTopology();
	}

	@ParameterizedTest
	@ValueSource(strings = { "READONLY You can't write against a read only replica.",
			"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
			"LOADING Redis is loading the dataset in memory", "NOREPLICAS Not enough good replicas to write.",
			"UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
			"ERR WAIT cannot be used with replica instances." })
	void sendsAgainWhatAFormerMasterRefused(String answer) {
		RedisFailure failure = new RedisFailure(Kind.REFUSED, answer, null);
		given(this.client.call(any(), anyBoolean())).willReturn(CompletableFuture.failedFuture(failure))
			.willReturn(CompletableFuture.completedFuture(List.of(1L)));
		given(this.client.explain(any())).willReturn(failure);
		given(this.client.dropDemotedMaster()).willReturn(CompletableFuture.completedFuture(true));
		assertThat(run()).succeedsWithin(Actor.PATIENCE).isEqualTo(List.of(1L));
	}

	/** A proxy may stand before a cluster. */
	@ParameterizedTest
	@ValueSource(strings = { CLUSTERDOWN, TRYAGAIN })
	void clientOfOneServerAsksAgainForAMoment(String answer) {
		RedisFailure failure = new RedisFailure(Kind.REFUSED, answer, null);
		given(this.client.call(any(), anyBoolean())).willReturn(CompletableFuture.failedFuture(failure))
			.willReturn(CompletableFuture.completedFuture(List.of(1L)));
		given(this.client.explain(any())).willReturn(failure);
		assertThat(run()).succeedsWithin(Actor.PATIENCE).isEqualTo(List.of(1L));
	}

	@ParameterizedTest
	@ValueSource(strings = { CLUSTERDOWN, TRYAGAIN })
	void clientOfOneServerIsToldWhatAClusterRefuses(String answer) {
		LockBackendException failure = send(answer, new Sent(false));
		assertThat(failure.reason()).isEqualTo(Reason.CLUSTER_DOWN);
		assertThat(failure).hasMessageContaining(answer + "; ");
		assertThat(failure.mayHaveRun()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { CLUSTERDOWN, TRYAGAIN, "MOVED 1 127.0.0.1:1", "ASK 1 127.0.0.1:1" })
	void clientOfAClusterAsksAgainForAsLongAsSomebodyWaits(String answer) {
		RedisFailure failure = new RedisFailure(Kind.REFUSED, answer, null);
		given(this.client.isCluster()).willReturn(true);
		given(this.client.explain(any())).willReturn(failure);
		AtomicInteger asked = new AtomicInteger();
		given(this.client.call(any(), anyBoolean())).willAnswer((call) -> (asked.incrementAndGet() < 10)
				? CompletableFuture.failedFuture(failure) : CompletableFuture.completedFuture(List.of(1L)));
		assertThat(run()).succeedsWithin(Actor.PATIENCE).isEqualTo(List.of(1L));
		assertThat(asked).hasValue(10);
	}

	/** A server that does not know a script has not run it. */
	@Test
	void tellsTheScriptOnlyIfACopyOfTheCommandMayHaveArrived() {
		List<ScriptCall> sent = new ArrayList<>();
		Iterator<RedisFailure> failures = List
			.of(new RedisFailure(Kind.REFUSED, "NOSCRIPT No matching script", null),
					new RedisFailure(Kind.LOST, "The connection broke", null))
			.iterator();
		given(this.client.call(any(), anyBoolean())).willAnswer((call) -> {
			sent.add(call.getArgument(0));
			return failures.hasNext() ? CompletableFuture.failedFuture(failures.next())
					: CompletableFuture.completedFuture(List.of(1L));
		});
		given(this.client.explain(any())).willAnswer((call) -> call.getArgument(0));
		List<String> arguments = List.of("client", "1", "", "600000", "", "", "");
		ScriptCall release = new ScriptCall(LuaScript.RELEASE, List.of("a"), arguments, true);
		assertThat(run(release)).succeedsWithin(Actor.PATIENCE);
		assertThat(sent).containsExactly(release, release, release.repeated());
		assertThat(release.repeated().arguments()).containsExactly("client", "1", "", "600000", "", "a", "");
	}

	/** It was a master when it ran the script, and none when replicas were counted. */
	@Test
	void mayHaveRunIfTheMasterIsDemotedWhileReplicasAreWaitedFor() {
		LockBackendException failure = send("UNBLOCKED force unblock from blocking operation", new Sent(false));
		assertThat(failure.mayHaveRun()).isTrue();
		assertThat(failure.reason()).isEqualTo(Reason.READ_ONLY);
	}

	@ParameterizedTest
	@ValueSource(strings = { "OOM command not allowed when used memory > 'maxmemory'.", "NOPERM no permissions" })
	void looksForNoOtherMasterAfterAnyOtherAnswer(String answer) {
		send(answer);
		verify(this.client, never()).refreshTopology();
		verify(this.client, never()).dropDemotedMaster();
	}

	/** The reply to the first may be all that was lost. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void mayHaveRunIfTheClientLibraryHadToSendItAgain(boolean again) {
		assertThat(send("READONLY You can't write against a read only replica.", new Sent(again)).mayHaveRun())
			.isEqualTo(again);
	}

	private void send(String answer) {
		send(answer, new Sent(false));
	}

	private LockBackendException send(String answer, Sent command) {
		RedisFailure failure = new RedisFailure(Kind.REFUSED, answer, null);
		command.completeExceptionally(failure);
		given(this.client.call(any(), anyBoolean())).willReturn(command);
		given(this.client.explain(any())).willReturn(failure);
		given(this.client.dropDemotedMaster()).willReturn(CompletableFuture.completedFuture(false));
		CompletableFuture<?> reply = run();
		assertThat(reply).failsWithin(Actor.PATIENCE);
		return reply.handle((value, thrown) -> (LockBackendException) thrown).join();
	}

	private CompletableFuture<List<Object>> run() {
		return run(new ScriptCall(LuaScript.RELEASE, List.of(), List.of()));
	}

	private CompletableFuture<List<Object>> run(ScriptCall call) {
		return this.commands.run("a", call, Reply::values);
	}

	/**
	 * A command of a client library that repeats it when it has reconnected.
	 */
	private static final class Sent extends CompletableFuture<List<Object>> implements RedisClient.Repeatable {

		private final boolean again;

		Sent(boolean again) {
			this.again = again;
		}

		@Override
		public boolean wasRepeated() {
			return this.again;
		}

	}

}
