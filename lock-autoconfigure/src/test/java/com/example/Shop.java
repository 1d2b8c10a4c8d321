package com.example;

import io.lockstarter.annotation.DistributedLock;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
public class Shop {

	public static void main(String[] args) {
		SpringApplication.run(Shop.class, args);
	}

	@Service
	public static class OrderService {

		@DistributedLock(key = "#id", waitTime = "2s")
		public String ship(String id) throws InterruptedException {
			Thread.sleep(5_000); // the work
			return "Order " + id + " is shipped";
		}

	}

	@RestController
	record Orders(OrderService service) {

		@PostMapping("/orders/{id}/ship")
		String ship(@PathVariable String id) throws InterruptedException {
			return this.service.ship(id);
		}

	}

}
