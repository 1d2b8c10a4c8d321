package io.lockstarter.sample.rendering;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * HTTP interface of the pictures.
 */
@RestController
@RequestMapping("/renderings")
class RenderingController {

	private final Gallery gallery;

	private final Renderings renderings;

	RenderingController(Gallery gallery, Renderings renderings) {
		this.gallery = gallery;
		this.renderings = renderings;
	}

	@GetMapping
	Gallery.View view() {
		return this.gallery.view();
	}

	@PostMapping
	@ResponseStatus(HttpStatus.ACCEPTED)
	void startOver() {
		this.renderings.startOver();
	}

}
