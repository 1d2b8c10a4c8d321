package io.lockstarter.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script whose text never changes: the files of the library that its first line names,
 * in that order, and its own.
 *
 * @param text the script
 * @param sha the digest by which Redis knows it
 */
public record LuaScript(String text, String sha) {

	static final LuaScript ACQUIRE = of("acquire");

	static final LuaScript ACQUIRE_FAIR = of("acquire_fair");

	static final LuaScript ACQUIRE_SHARED = of("acquire_shared");

	static final LuaScript PROPOSE = of("propose");

	static final LuaScript PROPOSE_SHARED = of("propose_shared");

	public static final LuaScript RELEASE = of("release");

	static final LuaScript YIELD = of("yield");

	static final LuaScript CANCEL = of("cancel");

	static final LuaScript DOWNGRADE = of("downgrade");

	static final LuaScript FORCE_RELEASE = of("force_release");

	static final LuaScript RENEW = of("renew");

	static final LuaScript PUT_BACK = of("putback");

	static final LuaScript CURTAIL = of("curtail");

	static final LuaScript OCCUPANCY = of("occupancy");

	static final LuaScript SCAN = of("scan");

	public static final LuaScript ECHO = of("echo");

	public static final LuaScript ENROL = of("enrol");

	public static final LuaScript PROBE = of("probe");

	private static final String FOLDER = "/io/lockstarter/redis/";

	private static final String LIBRARY = "--@ ";

	/**
	 * Assemble a script.
	 * @param name the name of its file
	 */
	public static LuaScript of(String name) {
		String own = read(name);
		if (!own.startsWith(LIBRARY)) {
			return new LuaScript(own, sha(own));
		}
		int end = own.indexOf('\n');
		StringBuilder text = new StringBuilder();
		for (String file : own.substring(LIBRARY.length(), end).split(", ", -1)) {
			text.append(read("library/" + file)).append('\n');
		}
		text.append(own, end + 1, own.length());
		return new LuaScript(text.toString(), sha(text.toString()));
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
