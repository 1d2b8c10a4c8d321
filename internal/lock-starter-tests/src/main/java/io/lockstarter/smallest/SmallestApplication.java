package io.lockstarter.smallest;

import java.io.IOException;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * An application with a locked method behind an address of the web. It ends with its
 * standard input.
 */
@SpringBootApplication
public class SmallestApplication {

	public static void main(String[] args) throws IOException {
		SpringApplication.run(SmallestApplication.class, args);
		while (System.in.read() >= 0) {
			// Nobody has anything to say
		}
		System.exit(0);
	}

}
