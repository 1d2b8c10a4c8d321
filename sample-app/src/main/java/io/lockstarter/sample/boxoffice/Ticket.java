package io.lockstarter.sample.boxoffice;

import java.time.Instant;

/**
 * A sold seat.
 *
 * @param seat the seat
 * @param customer who bought it
 * @param soldBy the instance that sold it
 * @param soldAt when
 */
public record Ticket(String seat, String customer, String soldBy, Instant soldAt) {

}
