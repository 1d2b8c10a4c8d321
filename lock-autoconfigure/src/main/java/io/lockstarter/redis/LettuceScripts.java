package io.lockstarter.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;

/**
 * Calls scripts over a connection of Lettuce.
 * <p>
 * Redis writes to its clients when it has carried out all commands that it has read, and
 * begins with the client that it has had something to say to for the shortest time: see
 * {@code putClientInPendingWriteQueue} in its {@code networking.c}. So the one who calls
 * a script gets the reply before others get the messages that the script has published,
 * and its thread, woken by that, may take the processor away from Redis. A command that
 * precedes the call and does nothing turns the order round.
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
			return send(known.getConnection(), evaluation, call.messagesFirst());
		}
		return byDigest ? redis.evalsha(script.sha(), ScriptOutputType.MULTI, keys, arguments)
				: redis.eval(script.text(), ScriptOutputType.MULTI, keys, arguments);
	}

	/** With what precedes it in one write, which Redis mostly reads at once. */
	private static Evaluation send(StatefulConnection<byte[], byte[]> connection, Evaluation evaluation,
			boolean behindPing) {
		if (behindPing) {
			AsyncCommand<byte[], byte[], String> ping = new AsyncCommand<>(
					new Command<>(CommandType.PING, new StatusOutput<>(ByteArrayCodec.INSTANCE)));
			connection.dispatch(List.of(ping, evaluation));
		}
		else {
			connection.dispatch(evaluation);
		}
		return evaluation;
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
