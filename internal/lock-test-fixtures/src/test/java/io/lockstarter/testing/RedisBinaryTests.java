package io.lockstarter.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBinary}.
 */
class RedisBinaryTests {

	@TempDir
	private Path folder;

	@Test
	void prefersARedisOnThePathToAValkey() throws Exception {
		String[] names = { "redis-server", "valkey-server" };
		Path valkey = program("first", "valkey-server", "");
		String path = valkey.getParent() + File.pathSeparator + this.folder.resolve("second");
		assertThat(Programs.find(path, names)).contains(valkey);
		Path redis = program("second", "redis-server", "");
		assertThat(Programs.find(path, names)).contains(redis);
		assertThat(Programs.find(this.folder.toString(), names)).isEmpty();
	}

	@Test
	void choosesTheAccessRulesByTheVersion() throws Exception {
		assertThat(RedisBinary.rules(program("a", "redis-server", "Redis server v=6.2.7 sha=0:0"))).contains("6.2");
		assertThat(RedisBinary.rules(program("b", "redis-server", "Redis server v=7.0.15 sha=0:0"))).contains("7.0");
		assertThat(RedisBinary.rules(program("c", "redis-server", "Redis server v=8.2.0 sha=0:0"))).contains("7.2");
		assertThat(RedisBinary.rules(program("d", "valkey-server", "Valkey server v=7.2.5 sha=0:0"))).contains("7.2");
		assertThat(RedisBinary.rules(program("e", "valkey-server", "Valkey server v=8.1.1 sha=0:0"))).contains("7.2");
	}

	private Path program(String directory, String name, String output) throws IOException {
		Path file = Files.createDirectories(this.folder.resolve(directory)).resolve(name);
		Files.writeString(file, "#!/bin/sh\necho '%s'\n".formatted(output));
		assertThat(file.toFile().setExecutable(true)).isTrue();
		return file;
	}

}
