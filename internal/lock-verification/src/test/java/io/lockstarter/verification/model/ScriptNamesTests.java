package io.lockstarter.verification.model;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.lockstarter.redis.script.LuaScript;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.luaj.vm2.Lua;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.compiler.LuaC;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each script includes every library function before its use. A missing one
 * would otherwise be detected only when the script calls it.
 */
class ScriptNamesTests {

	private static final Set<String> GLOBAL = Set.of("redis", "KEYS", "ARGV", "string", "math", "ipairs", "tonumber",
			"type");

	static Stream<String> scripts() throws IOException {
		Resource[] files = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/lockstarter/redis/*.lua");
		return Arrays.stream(files).map((file) -> String.valueOf(file.getFilename()).replace(".lua", ""));
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void areDefined(String script) throws IOException {
		assertThat(undefined(LuaScript.of(script).text())).isSubsetOf(GLOBAL);
	}

	@Test
	void areFoundMissing() throws IOException {
		assertThat(undefined("local function f()\n  return time\nend\nlocal time = 1\nreturn f()\n"))
			.containsExactly("time");
	}

	private static Set<String> undefined(String text) throws IOException {
		Set<String> names = new TreeSet<>();
		collect(LuaC.instance.compile(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "script"),
				names);
		return names;
	}

	private static void collect(Prototype function, Set<String> names) {
		for (int instruction : function.code) {
			int operation = Lua.GET_OPCODE(instruction);
			boolean reads = operation == Lua.OP_GETTABUP && isGlobal(function, Lua.GETARG_B(instruction));
			boolean writes = operation == Lua.OP_SETTABUP && isGlobal(function, Lua.GETARG_A(instruction));
			if (reads || writes) {
				int name = reads ? Lua.GETARG_C(instruction) : Lua.GETARG_B(instruction);
				names.add(function.k[Lua.INDEXK(name)].tojstring());
			}
		}
		for (Prototype inner : function.p) {
			collect(inner, names);
		}
	}

	private static boolean isGlobal(Prototype function, int upvalue) {
		return "_ENV".equals(function.upvalues[upvalue].name.tojstring());
	}

}
