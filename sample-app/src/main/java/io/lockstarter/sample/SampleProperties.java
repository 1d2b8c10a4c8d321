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
 */
@ConfigurationProperties("sample")
public record SampleProperties(String instance, String directory, Duration paperwork, Redis redis,
		Settlement settlement) {

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

}
