package io.lockstarter.redis.script;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lettuce.core.codec.Base16;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the scripts and their library are written.
 */
class LuaFilesTests {

	private static final Pattern COMMENT = Pattern.compile("--.*");

	/** A function of a file, not within another. */
	private static final Pattern FUNCTION = Pattern.compile("^local function (\\w+)", Pattern.MULTILINE);

	/** Whatever a file gives a name, not within a function. */
	private static final Pattern NAME = Pattern.compile("^local (?:function )?(\\w+)", Pattern.MULTILINE);

	private static final Pattern INCLUDE = Pattern.compile("^ *--@ (.*)$", Pattern.MULTILINE);

	private static final Pattern COMMAND = Pattern.compile("redis\\.p?call\\(([^,)]*)(?:, ([^,)]*\\]?))?");

	/** Commands that name no key. */
	private static final List<String> WITHOUT_KEY = List.of("'TIME'", "'PUBLISH'", "'SCAN'");

	private static final Map<String, String> LIBRARY = read("library/");

	private static final Map<String, String> SCRIPTS = read("");

	static Stream<String> scripts() {
		return SCRIPTS.keySet().stream();
	}

	private static Map<String, String> read(String folder) {
		try {
			Resource[] files = new PathMatchingResourcePatternResolver()
				.getResources("classpath*:io/lockstarter/redis/" + folder + "*.lua");
			Map<String, String> texts = new TreeMap<>();
			for (Resource file : files) {
				texts.put(String.valueOf(file.getFilename()).replace(".lua", ""),
						file.getContentAsString(StandardCharsets.UTF_8));
			}
			return texts;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Stream<Map.Entry<String, String>> all() {
		return Stream.concat(SCRIPTS.entrySet().stream(), LIBRARY.entrySet().stream());
	}

	/** So that it can be seen which keys they use. */
	@Test
	void nameTheKeyOfEveryCommand() {
		assertThat(all())
			.allSatisfy((file) -> assertThat(find(COMMAND, code(file.getValue()))).as("commands of " + file.getKey())
				.allSatisfy((command) -> {
					assertThat(command.group(1)).matches("'[A-Z]+'");
					if (!WITHOUT_KEY.contains(command.group(1))) {
						assertThat(command.group(2)).as(command.group()).matches("KEYS\\[(\\d|i|i \\+ tenures)]");
					}
				}));
	}

	@Test
	void writeEachFunctionOnce() {
		assertThat(LIBRARY.values().stream().flatMap((text) -> find(FUNCTION, text)).map((match) -> match.group(1)))
			.doesNotHaveDuplicates();
	}

	@Test
	void useEveryFunction() {
		assertThat(LIBRARY.values().stream().flatMap((text) -> find(FUNCTION, text)).map((match) -> match.group(1)))
			.allSatisfy((function) -> assertThat(scripts().map((script) -> LuaScript.of(script).text())).as(function)
				.anySatisfy((text) -> assertThat(code(text)).containsPattern("(?<!function )\\b" + function + "\\(")));
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void useWhatTheyInclude(String script) {
		List<String> included = included(script);
		assertThat(LIBRARY.keySet()).containsAll(included);
		assertThat(included).allSatisfy((file) -> {
			String others = Stream.concat(Stream.of(SCRIPTS.get(script)), included.stream().map((other) -> {
				return other.equals(file) ? "" : LIBRARY.get(other);
			})).map(LuaFilesTests::code).collect(Collectors.joining());
			assertThat(find(NAME, LIBRARY.get(file)).map((match) -> match.group(1))).as(file)
				.anySatisfy((name) -> assertThat(others).containsPattern("\\b" + name + "\\b"));
		});
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void areKnownByTheirDigest(String script) {
		LuaScript assembled = LuaScript.of(script);
		assertThat(assembled.text()).doesNotContainPattern("(?m)^ *--@").endsWith("\n");
		assertThat(assembled.sha()).isEqualTo(LuaScript.of(script).sha())
			.isEqualTo(Base16.digest(assembled.text().getBytes(StandardCharsets.UTF_8)));
	}

	private static List<String> included(String script) {
		return find(INCLUDE, SCRIPTS.get(script)).flatMap((line) -> Stream.of(line.group(1).split(", ", -1))).toList();
	}

	private static String code(String text) {
		return COMMENT.matcher(text).replaceAll("");
	}

	private static Stream<MatchResult> find(Pattern pattern, String text) {
		return pattern.matcher(text).results();
	}

}
