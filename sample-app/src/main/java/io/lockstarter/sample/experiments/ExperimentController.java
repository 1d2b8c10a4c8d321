package io.lockstarter.sample.experiments;

import java.util.List;

import io.lockstarter.sample.SampleProperties;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * HTTP interface of the experiments.
 */
@RestController
@RequestMapping("/experiments")
class ExperimentController {

	private final Experiments experiments;

	private final Diary diary;

	private final String instance;

	ExperimentController(Experiments experiments, Diary diary, SampleProperties sample) {
		this.experiments = experiments;
		this.diary = diary;
		this.instance = sample.instance();
	}

	@GetMapping
	View view() {
		return new View(this.instance, this.diary.latest());
	}

	/** Starts an experiment, which continues on other threads. */
	@PostMapping("/{experiment}/runs")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void start(@PathVariable String experiment) throws InterruptedException {
		this.experiments.start(Experiment.withId(experiment));
	}

	/**
	 * Data for the page of the experiments.
	 *
	 * @param instance the instance that responds
	 * @param events the events of all instances, oldest first
	 */
	record View(String instance, List<Event> events) {
	}

}
