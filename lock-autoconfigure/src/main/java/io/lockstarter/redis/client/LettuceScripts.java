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
		byte[][] keys = ScriptCall.bytes(call.keys());
		byte[][] arguments = ScriptCall.bytes(call.arguments());
		LuaScript script = call.script();
		if (redis instanceof AbstractRedisAsyncCommands<byte[], byte[]> known) {
			Evaluation evaluation = new Evaluation(byDigest ? CommandType.EVALSHA : CommandType.EVAL,
					new CommandArgs<>(ByteArrayCodec.INSTANCE).add(byDigest ? script.sha() : script.text())
						.add(keys.length)
						.addKeys(keys)
						.addValues(arguments));
			known.getConnection().dispatch(evaluation);
			return evaluation;
		}
		return byDigest ? redis.evalsha(script.sha(), ScriptOutputType.MULTI, keys, arguments)
				: redis.eval(script.text(), ScriptOutputType.MULTI, keys, arguments);
	}

	/**
	 * A call, and how often Lettuce sends it: again when it has reconnected, unless the
	 * reply was there.
	 */
	private static final class Evaluation extends AsyncCommand<byte[], byte[], List<Object>>
			implements RedisClient.Repeatable {

		private volatile int sent;

		Evaluation(CommandType type, CommandArgs<byte[], byte[]> arguments) {
			super(new Command<>(type, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), arguments));
		}

		/** One at a time, by the thread that writes to the connection. */
		@Override
		@SuppressWarnings("NonAtomicVolatileUpdate")
		public void encode(ByteBuf buffer) {
			this.sent++;
			super.encode(buffer);
		}

		@Override
		public boolean wasRepeated() {
			return this.sent > 1;
		}

	}

}
