package io.lockstarter.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Main class of an instance of the ticket box office.
 */
@SpringBootApplication
@EnableScheduling
@EnableConfigurationProperties(SampleProperties.class)
public class SampleApplication {

	static {
		// H2 serves its file to other instances through a socket, which must not be
		// reachable from other machines
		System.setProperty("h2.bindAddress", "127.0.0.1");
	}

	public static void main(String[] args) {
		SpringApplication.run(SampleApplication.class, args);
	}

}
