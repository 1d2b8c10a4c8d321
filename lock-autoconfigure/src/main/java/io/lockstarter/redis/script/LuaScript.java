package io.lockstarter.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script whose text never changes.
 *
 * @param text the script
 * @param sha the digest by which Redis knows it
 */
public record LuaScript(String text, String sha) {

	public static final LuaScript ACQUIRE = load("acquire.lua");

	public static final LuaScript RELEASE = load("release.lua");

	static final LuaScript RENEW = load("renew.lua");

	static final LuaScript PUT_BACK = load("putback.lua");

	static final LuaScript CURTAIL = load("curtail.lua");

	static final LuaScript OCCUPANCY = load("occupancy.lua");

	static final LuaScript SCAN = load("scan.lua");

	public static final LuaScript ECHO = load("echo.lua");

	public static final LuaScript ENROL = load("enrol.lua");

	public static final LuaScript PROBE = load("probe.lua");

	private static LuaScript load(String file) {
		try (InputStream in = LuaScript.class.getResourceAsStream("/io/lockstarter/redis/" + file)) {
			if (in == null) {
				throw new IllegalStateException("Script " + file + " is missing from the class path");
			}
			String text = new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
			return new LuaScript(text, HexFormat.of().formatHex(digest));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-1", ex);
		}
	}

}
