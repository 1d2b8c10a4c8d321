package io.lockstarter.autoconfigure;

import io.lockstarter.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * Tests for applications whose tests put objects of their own in the place of beans with
 * annotated methods, which need no locks.
 */
@SpringBootTest(classes = MockedBeanTests.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = "distributed-lock.backend=in-memory")
class MockedBeanTests {

	@MockitoBean
	private Mocked mocked;

	@MockitoSpyBean
	private Spied spied;

	@TestBean
	private Replaced replaced;

	static Replaced replaced() {
		return new Replaced();
	}

	@Test
	void startsWithObjectsOfTest() {
		given(this.mocked.run()).willReturn("mocked");
		assertThat(this.mocked.run() + this.spied.run() + this.replaced.run()).isEqualTo("mockedspiedreplaced");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	@Import({ Mocked.class, Spied.class, Replaced.class })
	static class Application {

	}

	static class Mocked {

		@DistributedLock
		public String run() {
			return "";
		}

	}

	static class Spied {

		@DistributedLock
		public String run() {
			return "spied";
		}

	}

	static class Replaced {

		@DistributedLock
		public String run() {
			return "replaced";
		}

	}

}
