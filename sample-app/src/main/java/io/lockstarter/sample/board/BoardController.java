package io.lockstarter.sample.board;

import java.util.NoSuchElementException;

import reactor.core.publisher.Flux;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * The board over HTTP.
 */
@RestController
@RequestMapping("/board")
class BoardController {

	private final Board board;

	private final Experiments experiments;

	BoardController(Board board, Experiments experiments) {
		this.board = board;
		this.experiments = experiments;
	}

	@GetMapping(path = "/snapshots", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	Flux<String> snapshots() {
		return this.board.snapshots();
	}

	@PostMapping("/experiments/{experiment}")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void start(@PathVariable String experiment) {
		switch (experiment) {
			case "contention" -> this.experiments.contend();
			case "long-hold" -> this.experiments.holdLong();
			case "freeze" -> this.experiments.freeze();
			case "cut" -> this.experiments.cut();
			default -> throw new NoSuchElementException("There is no experiment " + experiment);
		}
	}

}
