package io.lockstarter.autoconfigure;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockContext;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for test slices, which know no auto-configurations but those of Spring Boot that
 * they need and those that they import.
 */
@WebMvcTest(properties = "distributed-lock.backend=in-memory")
@ImportAutoConfiguration(LockAutoConfiguration.class)
class TestSliceTests {

	@Test
	void lockWhenTheyImportTheAutoConfiguration(@Autowired MockMvcTester mvc) {
		assertThat(mvc.get().uri("/ship")).hasStatusOk().hasBodyTextEqualTo("shipped under shop");
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Shop.class)
	static class Application {

	}

	@RestController
	static class Shop {

		@DistributedLock(name = "shop")
		@GetMapping("/ship")
		public String ship() {
			return "shipped under " + LockContext.current().name();
		}

	}

}
