package io.lockstarter.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of the box office.
 *
 * @param instance name under which this instance signs what it sells
 * @param directory directory of the database that instances on one machine share
 * @param paperwork time that each booking, transfer or settlement takes
 * @param redis settings of the embedded Redis
 * @param settlement settings of the settlement
 * @param rendering settings of the pictures
 */
@ConfigurationProperties("sample")
public record SampleProperties(String instance, String directory, Duration paperwork, Redis redis,
		Settlement settlement, Rendering rendering) {

	/**
	 * Settings of the embedded Redis.
	 *
	 * @param port port on which the first instance starts it and the others find it
	 */
	public record Redis(int port) {
	}

	/**
	 * Settings of the settlement.
	 *
	 * @param cron times at which sold tickets are settled
	 */
	public record Settlement(String cron) {
	}

	/**
	 * Settings of the pictures.
	 *
	 * @param permits how many are rendered at a time, over all instances
	 * @param duration time that each of them takes
	 */
	public record Rendering(int permits, Duration duration) {
	}

}
