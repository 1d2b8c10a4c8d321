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
 * The experiments over HTTP.
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
	View look() {
		return new View(this.instance, this.diary.latest());
	}

	/** Answers once the experiment goes on by itself. */
	@PostMapping("/{experiment}/runs")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void start(@PathVariable String experiment) throws InterruptedException {
		this.experiments.start(Experiment.withId(experiment));
	}

	/**
	 * What is to be seen.
	 *
	 * @param instance the instance that answers
	 * @param events what happened on all instances, oldest first
	 */
	record View(String instance, List<Event> events) {
	}

}
