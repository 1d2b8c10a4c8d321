package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.RedisClient;
import io.lockstarter.redis.client.RedisFailure;
import io.lockstarter.redis.script.LockKeys;
import io.lockstarter.redis.script.LockScripts;
import io.lockstarter.redis.script.ScriptCall;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Locks behind a proxy, which has them on several servers, are renewed one by one.
 */
class RenewalSenderTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final String CLIENT = "client";

	private final List<Integer> sizes = new ArrayList<>();

	@ParameterizedTest
	@ValueSource(strings = { "CROSSSLOT Keys in request don't hash to the same slot", "ERR keys must be in same slot",
			"ERR 'EVALSHA' keys do not hash to the same slot",
			"ERR Script attempted to access a non local key in a cluster node" })
	void renewsOneByOneFromThenOnWhateverTheWordsOfTheRefusal(String words) {
		RenewalSender sender = new RenewalSender(
				new LockScripts(new LockKeys("lock:", () -> CLIENT), () -> CLIENT, LEASE, true, () -> false),
				new CommandSender(proxy(words)), () -> false);
		assertThat(sender.renew(renewals())).hasSize(2)
			.allSatisfy((reply) -> assertThat(reply).isCompletedExceptionally());
		assertThat(sender.renew(renewals())).hasSize(2)
			.allSatisfy((reply) -> assertThat(reply).isCompletedWithValue(RenewalReply.HELD));
		assertThat(this.sizes).as("locks of each call").containsExactly(2, 1, 1);
	}

	private static List<Renew> renewals() {
		return List.of(new Renew("a", new TenureId(CLIENT, 1), 1, LEASE),
				new Renew("b", new TenureId(CLIENT, 2), 1, LEASE));
	}

	/** Refuses what is about several locks. */
	private RedisClient proxy(String words) {
		RedisClient client = mock();
		given(client.explain(any())).willAnswer((call) -> call.getArgument(0));
		given(client.call(any(), anyBoolean())).willAnswer((call) -> {
			int locks = call.<ScriptCall>getArgument(0).arguments().size() - 4;
			this.sizes.add(locks);
			return (locks > 1)
					? CompletableFuture.failedFuture(new RedisFailure(RedisFailure.Kind.REFUSED, words, null))
					: CompletableFuture.completedFuture(Collections.nCopies(locks, (Object) 1L));
		});
		return client;
	}

}
