package io.lockstarter.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.contract.Actor;
import io.lockstarter.redis.RedisFailure.Kind;
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
class RedisCommandsTests {

	private final RedisClient client = mock();

	private final RedisCommands commands = new RedisCommands(this.client, Replication.NONE);

	@ParameterizedTest
	@ValueSource(strings = { "READONLY You can't write against a read only replica.",
			"NOREPLICAS Not enough good replicas to write.",
			"ERR Error running script: @user_script: 1: -NOREPLICAS Not enough good replicas to write." })
	void looksForAnotherMasterWhereThisOneTakesNoWrites(String answer) {
		send(answer);
		verify(this.client).lookAround();
	}

	@ParameterizedTest
	@ValueSource(strings = { "OOM command not allowed when used memory > 'maxmemory'.", "NOPERM no permissions" })
	void looksForNoOtherMasterAfterAnyOtherAnswer(String answer) {
		send(answer);
		verify(this.client, never()).lookAround();
	}

	/** The reply to the first may be all that was lost. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void mayHaveRunIfTheClientLibraryHadToSendItAgain(boolean again) {
		assertThat(send("READONLY You can't write against a read only replica.", new Sent(again)))
			.isInstanceOfSatisfying(RedisFailure.class,
					(failure) -> assertThat(failure.mayHaveRunBefore()).isEqualTo(again));
	}

	private void send(String answer) {
		send(answer, new Sent(false));
	}

	private Throwable send(String answer, Sent command) {
		RedisFailure failure = new RedisFailure(Kind.REFUSED, answer, null);
		command.completeExceptionally(failure);
		given(this.client.call(any(), anyBoolean())).willReturn(command);
		given(this.client.explain(any())).willReturn(failure);
		CompletableFuture<?> reply = this.commands.run(new ScriptCall(LuaScript.RELEASE, List.of(), List.of()));
		assertThat(reply).failsWithin(Actor.PATIENCE);
		return reply.handle((value, thrown) -> thrown).join();
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
