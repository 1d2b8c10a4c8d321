package io.lockstarter.redis.client;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lockstarter.redis.script.LuaScript;
import io.lockstarter.redis.script.ScriptCall;
import io.netty.buffer.ByteBuf;

/**
 * Calls scripts over a connection of Lettuce.
 */
final class LettuceScripts {

	private LettuceScripts() {
	}

	static CompletionStage<List<Object>> evaluate(RedisClusterAsyncCommands<byte[], byte[]> redis, ScriptCall call,
			boolean byDigest) {
		return evaluate(redis, call, byDigest, () -> {
		});
	}

	/**
	 * Calls a script.
	 * @param onReply is notified of the reply, even if nobody waits for it any longer
	 */
	static CompletionStage<List<Object>> evaluate(RedisClusterAsyncCommands<byte[], byte[]> redis, ScriptCall call,
			boolean byDigest, Runnable onReply) {
		if (redis instanceof AbstractRedisAsyncCommands<byte[], byte[]> known) {
			Evaluation evaluation = new Evaluation(call, byDigest, onReply);
			known.getConnection().dispatch(evaluation);
			return evaluation;
		}
		// Nobody can tell how often it is sent.
		LuaScript script = call.script();
		byte[][] keys = ScriptCall.bytes(call.keys());
		byte[][] arguments = ScriptCall.bytes(call.repeated().arguments());
		return byDigest ? redis.evalsha(script.sha(), ScriptOutputType.MULTI, keys, arguments)
				: redis.eval(script.text(), ScriptOutputType.MULTI, keys, arguments);
	}

	private static Command<byte[], byte[], List<Object>> command(ScriptCall call, boolean byDigest) {
		byte[][] keys = ScriptCall.bytes(call.keys());
		CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE)
			.add(byDigest ? call.script().sha() : call.script().text())
			.add(keys.length)
			.addKeys(keys)
			.addValues(ScriptCall.bytes(call.arguments()));
		return new Command<>(byDigest ? CommandType.EVALSHA : CommandType.EVAL,
				new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), arguments);
	}

	/**
	 * A call, and how often Lettuce sends it: again when it has reconnected, unless the
	 * reply was there. The script is told so then.
	 */
	private static final class Evaluation extends AsyncCommand<byte[], byte[], List<Object>>
			implements RedisClient.Repeatable {

		private final ScriptCall call;

		private final boolean byDigest;

		private final Runnable onReply;

		private volatile int sent;

		Evaluation(ScriptCall call, boolean byDigest, Runnable onReply) {
			super(command(call, byDigest));
			this.call = call;
			this.byDigest = byDigest;
			this.onReply = onReply;
		}

		@Override
		public void complete() {
			this.onReply.run();
			super.complete();
		}

		/** One at a time, by the thread that writes to the connection. */
		@Override
		@SuppressWarnings("NonAtomicVolatileUpdate")
		public void encode(ByteBuf buffer) {
			if (this.sent++ > 0 && this.call.tellsRepeats()) {
				command(this.call.repeated(), this.byDigest).encode(buffer);
			}
			else {
				super.encode(buffer);
			}
		}

		@Override
		public boolean wasRepeated() {
			return this.sent > 1;
		}

	}

}
