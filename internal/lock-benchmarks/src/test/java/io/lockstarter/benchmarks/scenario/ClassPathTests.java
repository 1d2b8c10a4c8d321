package io.lockstarter.benchmarks.scenario;

import java.nio.file.Path;

import io.lockstarter.benchmarks.start.RedisApplication;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClassPathTests {

	private static final ClassPath BASE = ClassPath.of("spring-boot-starter-webmvc", "spring-boot-starter-data-redis");

	private static final ClassPath LOCKED = ClassPath.of("spring-boot-starter-webmvc", "spring-boot-starter-data-redis",
			"lock-starter");

	@Test
	void hasAllThatTheApplicationNeeds() {
		assertThat(BASE.toString()).contains("spring-webmvc-", "tomcat-embed-core-", "lettuce-core-",
				"spring-data-redis-", "logback-classic-");
	}

	@Test
	void hasNothingThatOnlyOthersNeed() {
		assertThat(BASE.toString()).doesNotContain("lock-starter", "lock-autoconfigure", "aspectjweaver", "redisson",
				"actuator", "spring-integration", "junit");
		assertThat(LOCKED.toString()).doesNotContain("redisson", "actuator", "lock-test-fixtures");
	}

	@Test
	void findsWhatAStarterAdds() {
		ClassPath added = LOCKED.beyond(BASE);
		assertThat(added.entries()).hasSize(2);
		assertThat(added.toString()).contains("lock-autoconfigure", "lock-starter");
		assertThat(added.bytes()).isPositive();
	}

	@Test
	void hasTheApplicationItself() {
		assertThat(BASE.with(RedisApplication.class).entries())
			.contains(Path.of(RedisApplication.class.getProtectionDomain().getCodeSource().getLocation().getPath()));
	}

}
