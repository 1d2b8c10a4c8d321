package io.lockstarter.verification.model;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.compiler.LuaC;
import org.luaj.vm2.lib.Bit32Lib;
import org.luaj.vm2.lib.PackageLib;
import org.luaj.vm2.lib.StringLib;
import org.luaj.vm2.lib.TableLib;
import org.luaj.vm2.lib.VarArgFunction;
import org.luaj.vm2.lib.jse.JseBaseLib;
import org.luaj.vm2.lib.jse.JseMathLib;

/**
 * Script of the protocol that runs in a {@link RedisModel}. Not thread-safe.
 */
final class Script {

	private final String text;

	private final Globals globals = new Globals();

	private final LuaValue body;

	private @Nullable RedisModel redis;

	Script(String text) {
		this.text = text;
		this.globals.load(new JseBaseLib());
		this.globals.load(new PackageLib());
		this.globals.load(new Bit32Lib());
		this.globals.load(new TableLib());
		this.globals.load(new StringLib());
		this.globals.load(new JseMathLib());
		LuaC.install(this.globals);
		this.globals.get("string").set("format", new Format());
		LuaTable library = new LuaTable();
		library.set("call", new Call(false));
		library.set("pcall", new Call(true));
		library.set("REDIS_VERSION_NUM", LuaValue.valueOf(0x070000));
		this.globals.set("redis", library);
		this.body = this.globals.load(new StringReader(text), "script");
	}

	String text() {
		return this.text;
	}

	/** Runs the script, and returns its reply as a client receives it. */
	@Nullable Object run(RedisModel redis, List<String> keys, List<String> arguments) {
		this.redis = redis;
		this.globals.set("KEYS", table(keys));
		this.globals.set("ARGV", table(arguments));
		try {
			return reply(this.body.call());
		}
		catch (LuaError ex) {
			if (ex.getCause() instanceof RedisError error) {
				throw error;
			}
			throw ex;
		}
	}

	private static LuaTable table(List<String> texts) {
		LuaTable table = new LuaTable(texts.size(), 0);
		for (int i = 0; i < texts.size(); i++) {
			table.set(i + 1, LuaValue.valueOf(texts.get(i)));
		}
		return table;
	}

	private static @Nullable Object reply(LuaValue value) {
		if (value.isnil() || (value.isboolean() && !value.toboolean())) {
			return null;
		}
		if (value.isboolean()) {
			return 1L;
		}
		if (value.type() == LuaValue.TNUMBER) {
			return (long) value.todouble();
		}
		if (value.type() == LuaValue.TSTRING) {
			return value.tojstring();
		}
		if (!value.get("err").isnil()) {
			throw new RedisError(value.get("err").tojstring());
		}
		if (!value.get("ok").isnil()) {
			return value.get("ok").tojstring();
		}
		List<@Nullable Object> replies = new ArrayList<>();
		for (int i = 1; !value.get(i).isnil(); i++) {
			replies.add(reply(value.get(i)));
		}
		return replies;
	}

	private static LuaValue value(@Nullable Object reply) {
		if (reply == null) {
			return LuaValue.FALSE;
		}
		if (reply instanceof Long number) {
			return LuaValue.valueOf((double) number);
		}
		if (reply instanceof String text) {
			return LuaValue.valueOf(text);
		}
		LuaTable table = new LuaTable();
		if (reply instanceof RedisModel.Status status) {
			table.set("ok", status.text());
			return table;
		}
		int index = 1;
		for (Object element : (List<?>) reply) {
			table.set(index++, value(element));
		}
		return table;
	}

	/**
	 * Lua function that runs a command of Redis.
	 */
	private final class Call extends VarArgFunction {

		private final boolean guarded;

		Call(boolean guarded) {
			this.guarded = guarded;
		}

		@Override
		public Varargs invoke(Varargs all) {
			List<String> arguments = new ArrayList<>(all.narg() - 1);
			for (int i = 2; i <= all.narg(); i++) {
				LuaValue argument = all.arg(i);
				arguments.add((argument.type() == LuaValue.TNUMBER) ? LuaNumbers.text(argument.todouble())
						: argument.checkjstring());
			}
			try {
				return value(Objects.requireNonNull(Script.this.redis)
					.call(all.arg1().tojstring().toUpperCase(Locale.ROOT), arguments));
			}
			catch (RedisError ex) {
				if (!this.guarded) {
					throw new LuaError(ex);
				}
				LuaTable error = new LuaTable();
				error.set("err", ex.getMessage());
				return error;
			}
		}

	}

	/**
	 * Lua function that formats numbers as in C, unlike that of the interpreter.
	 */
	private static final class Format extends VarArgFunction {

		@Override
		public Varargs invoke(Varargs all) {
			StringBuilder result = new StringBuilder();
			String format = all.arg1().checkjstring();
			int argument = 2;
			for (int i = 0; i < format.length(); i++) {
				if (format.charAt(i) != '%') {
					result.append(format.charAt(i));
				}
				else if (format.startsWith("%s", i) || format.startsWith("%d", i)) {
					LuaValue value = all.arg(argument++);
					result.append((format.charAt(i + 1) == 'd') ? Long.toString((long) value.checkdouble())
							: value.checkjstring());
					i++;
				}
				else if (format.startsWith("%.0f", i)) {
					result.append(LuaNumbers.text(Math.rint(all.arg(argument++).checkdouble())));
					i += 3;
				}
				else {
					throw new LuaError("Not modelled: " + format);
				}
			}
			return valueOf(result.toString());
		}

	}

}
