package io.lockstarter.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of the box office.
 *
 * @param instance name of this instance on the tickets that it sells
 * @param directory directory of the database that instances on one machine share
 * @param paperwork duration of each booking, transfer or settlement
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
	 * @param port port on which the first instance starts Redis and the others find it
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
	 * @param permits maximum number of pictures rendered at a time, over all instances
	 * @param duration duration of the rendering of a picture
	 */
	public record Rendering(int permits, Duration duration) {
	}

}
