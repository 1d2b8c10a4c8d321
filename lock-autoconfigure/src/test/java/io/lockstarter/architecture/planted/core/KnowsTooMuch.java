package io.lockstarter.architecture.planted.core;

import io.lockstarter.architecture.planted.autoconfigure.Assembly;
import io.micrometer.core.instrument.MeterRegistry;
import javax.sql.DataSource;

import kotlin.Unit;
import net.javacrumbs.shedlock.core.LockProvider;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringApplication;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Uses what the core must not use.
 */
public class KnowsTooMuch {

	Assembly assembly;

	MeterRegistry micrometer;

	Mono<String> reactor;

	SpringApplication boot;

	RedisConnectionFactory redis;

	LockRegistry<?> integration;

	LockProvider shedlock;

	Unit kotlin;

	DataSource jdbc;

	void misbehave() throws InterruptedException {
		Thread.sleep(1);
		System.out.println("slept");
	}

}
