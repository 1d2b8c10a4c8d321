package io.lockstarter.sample.web;

import java.util.List;

import io.lockstarter.sample.SampleProperties;
import io.lockstarter.sample.boxoffice.Accounts;
import io.lockstarter.sample.boxoffice.BoxOffice;
import io.lockstarter.sample.boxoffice.Settlement;
import io.lockstarter.sample.boxoffice.Ticket;
import io.lockstarter.sample.boxoffice.Tickets;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * HTTP interface of the box office.
 */
@RestController
class BoxOfficeController {

	private final String instance;

	private final BoxOffice boxOffice;

	private final Tickets tickets;

	private final Accounts accounts;

	private final Settlement settlement;

	BoxOfficeController(SampleProperties properties, BoxOffice boxOffice, Tickets tickets, Accounts accounts,
			Settlement settlement) {
		this.instance = properties.instance();
		this.boxOffice = boxOffice;
		this.tickets = tickets;
		this.accounts = accounts;
		this.settlement = settlement;
	}

	@GetMapping("/box-office")
	Overview overview() {
		return new Overview(this.instance, BoxOffice.SEATS, this.tickets.all(), this.accounts.all(),
				this.settlement.statements());
	}

	@PostMapping("/seats/{seat}")
	@ResponseStatus(HttpStatus.CREATED)
	Ticket book(@PathVariable String seat, @RequestParam String customer,
			@RequestParam(defaultValue = "true") boolean locked) {
		String name = Names.customer(customer);
		String valid = Names.seat(seat);
		return locked ? this.boxOffice.book(valid, name) : this.boxOffice.bookWithoutLock(valid, name);
	}

	@PostMapping("/transfers")
	List<Accounts.Account> transfer(@RequestParam String from, @RequestParam String to, @RequestParam int amount) {
		this.accounts.transfer(Names.customer(from), Names.customer(to), amount);
		return this.accounts.all();
	}

	@PostMapping("/reset")
	Overview reset() {
		this.boxOffice.reopen();
		this.settlement.reopen();
		this.accounts.reopen();
		return overview();
	}

	/**
	 * Data for the page of the box office.
	 *
	 * @param instance the instance that responds
	 * @param seats the seats of the hall
	 * @param tickets the tickets sold
	 * @param accounts the customers' accounts
	 * @param settlements the payments to the theatre
	 */
	record Overview(String instance, List<String> seats, List<Ticket> tickets, List<Accounts.Account> accounts,
			List<Settlement.Statement> settlements) {
	}

}
