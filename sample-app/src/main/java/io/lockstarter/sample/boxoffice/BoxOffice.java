package io.lockstarter.sample.boxoffice;

import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.sample.SampleProperties;

import org.springframework.stereotype.Service;

/**
 * Sale of seats, each of which is sold once.
 */
@Service
public class BoxOffice {

	/**
	 * Seats of the hall.
	 */
	public static final List<String> SEATS = Stream.of("A", "B", "C")
		.flatMap((row) -> IntStream.rangeClosed(1, 6).mapToObj((number) -> row + number))
		.toList();

	private final Tickets tickets;

	private final Paperwork paperwork;

	private final String instance;

	BoxOffice(Tickets tickets, Paperwork paperwork, SampleProperties properties) {
		this.tickets = tickets;
		this.paperwork = paperwork;
		this.instance = properties.instance();
	}

	/**
	 * Sells a seat. Calls for the same seat run one at a time, over all instances. Calls
	 * for other seats do not wait.
	 * @param seat the seat
	 * @param customer the customer who buys the seat
	 * @return the ticket
	 * @throws SeatTakenException if the seat is already sold
	 */
	@DistributedLock(name = "seat", key = "#seat")
	public Ticket book(String seat, String customer) {
		return sell(seat, customer);
	}

	/**
	 * Sells a seat without the lock, to show the purpose of the lock.
	 * @param seat the seat
	 * @param customer the customer who buys the seat
	 * @return the ticket, which may be the second one for this seat
	 * @throws SeatTakenException if the seat was already sold when the call started
	 */
	public Ticket bookWithoutLock(String seat, String customer) {
		return sell(seat, customer);
	}

	/**
	 * Cancels all tickets.
	 */
	public void reopen() {
		this.tickets.clear();
	}

	private Ticket sell(String seat, String customer) {
		if (!SEATS.contains(seat)) {
			throw new NoSuchElementException("There is no seat %s.".formatted(seat));
		}
		this.tickets.find(seat).ifPresent((sold) -> {
			throw new SeatTakenException(sold);
		});
		this.paperwork.fillIn();
		Ticket ticket = new Ticket(seat, customer, this.instance, Instant.now());
		this.tickets.add(ticket);
		return ticket;
	}

}
