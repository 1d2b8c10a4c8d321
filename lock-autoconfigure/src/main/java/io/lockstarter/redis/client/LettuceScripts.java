package io.lockstarter.redis.client;

import java.util.List;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lockstarter.redis.script.ScriptCall;
import io.netty.buffer.ByteBuf;

/**
 * Script calls over a connection of Lettuce.
 */
final class LettuceScripts {

	private LettuceScripts() {
	}

	static Evaluation evaluate(StatefulConnection<byte[], byte[]> connection, ScriptCall call, boolean byDigest) {
		Evaluation evaluation = new Evaluation(call, byDigest);
		connection.dispatch(evaluation);
		return evaluation;
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
	 * Call that counts how often Lettuce sends it. After reconnecting, Lettuce sends
	 * every call again that has no reply. A repeated call says so to the script.
	 */
	static final class Evaluation extends AsyncCommand<byte[], byte[], List<Object>> implements RedisClient.Repeatable {

		private final ScriptCall call;

		private final boolean byDigest;

		private volatile int sent;

		Evaluation(ScriptCall call, boolean byDigest) {
			super(command(call, byDigest));
			this.call = call;
			this.byDigest = byDigest;
		}

		/** Encodes the call, on the one thread that writes to the connection. */
		@Override
		@SuppressWarnings("NonAtomicVolatileUpdate")
		public void encode(ByteBuf buffer) {
			if (this.sent++ > 0 && this.call.marksRepeats()) {
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
