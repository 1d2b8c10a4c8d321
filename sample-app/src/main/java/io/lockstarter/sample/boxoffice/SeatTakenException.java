package io.lockstarter.sample.boxoffice;

/**
 * Failure of a booking because the seat is already sold.
 */
public class SeatTakenException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	SeatTakenException(Ticket ticket) {
		super("Seat %s was sold to %s by %s.".formatted(ticket.seat(), ticket.customer(), ticket.soldBy()));
	}

}
