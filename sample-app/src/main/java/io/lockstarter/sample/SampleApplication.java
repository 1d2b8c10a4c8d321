package io.lockstarter.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Starts one instance of the ticket box office.
 */
@SpringBootApplication
@EnableScheduling
@EnableConfigurationProperties(SampleProperties.class)
public class SampleApplication {

	static {
		// H2 offers its file to other instances through a socket: keep that on this
		// machine
		System.setProperty("h2.bindAddress", "127.0.0.1");
	}

	public static void main(String[] args) {
		SpringApplication.run(SampleApplication.class, args);
	}

}
