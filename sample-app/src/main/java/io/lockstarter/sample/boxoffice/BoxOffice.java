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
 * Sells seats, each of them once.
 */
@Service
public class BoxOffice {

	/**
	 * The seats of the hall.
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
	 * Sell a seat. One call at a time for each seat, over all instances; calls for other
	 * seats do not wait.
	 * @param seat the seat
	 * @param customer who buys it
	 * @return the ticket
	 * @throws SeatTakenException if the seat was sold before
	 */
	@DistributedLock(name = "seat", key = "#seat")
	public Ticket book(String seat, String customer) {
		return sell(seat, customer);
	}

	/**
	 * Do the same without the lock, to show what the lock is for.
	 * @param seat the seat
	 * @param customer who buys it
	 * @return the ticket, which may be the second one for this seat
	 * @throws SeatTakenException if the seat was already sold when the call started
	 */
	public Ticket bookWithoutLock(String seat, String customer) {
		return sell(seat, customer);
	}

	/**
	 * Take all tickets back.
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
