package io.lockstarter.sample.boxoffice;

import java.time.Instant;

/**
 * Ticket for a sold seat.
 *
 * @param seat the seat
 * @param customer the customer who bought the seat
 * @param soldBy the instance that sold the seat
 * @param soldAt the time of the sale
 */
public record Ticket(String seat, String customer, String soldBy, Instant soldAt) {

}
