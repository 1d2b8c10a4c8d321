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
 * A script whose text never changes: that of its file, with files of the library in place
 * of each line that names them. What such a file defines costs nothing before that place
 * is reached. It is read when a client connects, or when it is first needed.
 */
public final class LuaScript {

	private static final List<LuaScript> KNOWN = new ArrayList<>();

	static final LuaScript ACQUIRE = known("acquire");

	static final LuaScript ACQUIRE_FAIR = known("acquire_fair");

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

	/** Versions before 7.0 write it in another place than later ones. */
	private static final Pattern ERROR_LINE = Pattern.compile("@user_script: ?([1-9]\\d{0,5})");

	private static final Pattern COMMAND = Pattern.compile("redis\\.p?call\\('(\\w+)'(?:, KEYS\\[(\\d)])?");

	private final Supplier<String> text;

	private final Supplier<String> sha;

	private LuaScript(String name) {
		this.text = SingletonSupplier.of(() -> assemble(name));
		this.sha = SingletonSupplier.of(() -> sha(text()));
	}

	/**
	 * Name a script.
	 * @param name the name of its file
	 */
	public static LuaScript of(String name) {
		return new LuaScript(name);
	}

	private static LuaScript known(String name) {
		LuaScript script = of(name);
		KNOWN.add(script);
		return script;
	}

	/** Read all scripts that locks need, for which the calling thread blocks. */
	public static void readAll() {
		KNOWN.forEach(LuaScript::sha);
	}

	/** The script. */
	public String text() {
		return this.text.get();
	}

	/** The digest by which Redis knows it. */
	public String sha() {
		return this.sha.get();
	}

	/**
	 * Name the commands that an error may be about, which tells no more than a line.
	 * @param error in Redis's words
	 * @param keys what the script was called with
	 * @return the commands in that line of the script, with their keys; empty if no line
	 * is told
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
				throw new IllegalStateException("Script " + file + " is missing from the class path");
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
			throw new IllegalStateException("Every Java platform has SHA-1", ex);
		}
	}

}
