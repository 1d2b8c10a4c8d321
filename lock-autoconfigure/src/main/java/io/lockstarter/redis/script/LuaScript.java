package io.lockstarter.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.util.function.SingletonSupplier;

/**
 * Script with a constant text: the content of its file, in which each include line is
 * replaced by library files. In Lua, the definitions of a library file cost nothing until
 * the script reaches them. The file is read when a client connects, or at the first use.
 */
public final class LuaScript {

	private static final List<LuaScript> KNOWN = new ArrayList<>();

	static final LuaScript ACQUIRE = known("acquire");

	static final LuaScript ACQUIRE_SHARED = known("acquire_shared");

	static final LuaScript ACQUIRE_PERMIT = known("acquire_permit");

	static final LuaScript PROPOSE = known("propose");

	static final LuaScript PROPOSE_SHARED = known("propose_shared");

	public static final LuaScript RELEASE = known("release");

	static final LuaScript YIELD = known("yield");

	static final LuaScript CANCEL = known("cancel");

	static final LuaScript DOWNGRADE = known("downgrade");

	static final LuaScript FORCE_RELEASE = known("force_release");

	static final LuaScript RENEW = known("renew");

	static final LuaScript PUT_BACK = known("putback");

	static final LuaScript SHORTEN_LEASE = known("shorten_lease");

	static final LuaScript HOLDERS = known("holders");

	static final LuaScript SCAN = known("scan");

	public static final LuaScript ECHO = known("echo");

	static final LuaScript JOIN = known("join");

	public static final LuaScript PROBE = known("probe");

	static final LuaScript WRITE_CHECK = known("write_check");

	private static final String FOLDER = "/io/lockstarter/redis/";

	private static final String LIBRARY = "--@ ";

	/** Line number of an error, in the formats before and since Redis 7.0. */
	private static final Pattern ERROR_LINE = Pattern.compile("@user_script: ?([1-9]\\d{0,5})");

	private static final Pattern COMMAND = Pattern.compile("redis\\.p?call\\('(\\w+)'(?:, KEYS\\[(\\d)])?");

	private final Supplier<String> text;

	private final Supplier<String> sha;

	private LuaScript(String name) {
		this.text = SingletonSupplier.of(() -> assemble(name));
		this.sha = SingletonSupplier.of(() -> sha(text()));
	}

	/**
	 * Returns a script.
	 * @param name the name of its file, without extension
	 */
	public static LuaScript of(String name) {
		return new LuaScript(name);
	}

	private static LuaScript known(String name) {
		LuaScript script = of(name);
		KNOWN.add(script);
		return script;
	}

	/** Reads all scripts of locks. Blocks the calling thread. */
	public static void readAll() {
		KNOWN.forEach(LuaScript::sha);
	}

	/** Returns the text of the script. */
	public String text() {
		return this.text.get();
	}

	/** Returns the SHA-1 digest of the text, by which Redis caches the script. */
	public String sha() {
		return this.sha.get();
	}

	/**
	 * Returns the commands that an error may concern. Redis reports only a line number.
	 * @param error the error message of Redis
	 * @param keys the keys of the script call
	 * @return the commands in this line of the script, with their keys; empty if the
	 * message has no line number
	 */
	List<String> commandsAt(String error, List<String> keys) {
		Matcher line = ERROR_LINE.matcher(error);
		if (!line.find()) {
			return List.of();
		}
		return text().lines()
			.skip(Long.parseLong(line.group(1)) - 1)
			.limit(1)
			.flatMap((source) -> COMMAND.matcher(source).results())
			.map((command) -> (command.group(2) != null)
					? command.group(1) + " of " + keys.get(Integer.parseInt(command.group(2)) - 1) : command.group(1))
			.distinct()
			.toList();
	}

	private static String assemble(String name) {
		return read(name).lines().map(LuaScript::expand).collect(Collectors.joining("\n", "", "\n"));
	}

	private static String expand(String line) {
		String named = line.strip();
		if (!named.startsWith(LIBRARY)) {
			return line;
		}
		return Stream.of(named.substring(LIBRARY.length()).split(", ", -1))
			.map((file) -> read("library/" + file))
			.collect(Collectors.joining("\n"));
	}

	private static String read(String file) {
		try (InputStream in = LuaScript.class.getResourceAsStream(FOLDER + file + ".lua")) {
			if (in == null) {
				throw new IllegalStateException("The script " + file + " is missing from the class path");
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String sha(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("SHA-1 is not available", ex);
		}
	}

}
