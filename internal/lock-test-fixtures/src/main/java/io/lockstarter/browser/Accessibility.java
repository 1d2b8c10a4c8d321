package io.lockstarter.browser;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Violations of accessibility rules that axe finds in the page of a browser. It requires
 * {@code com.deque.html.axe-core:selenium} on the class path of the module.
 */
public final class Accessibility {

	private static final String AXE = read();

	private static final String RUN = """
			return axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
				.map(({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join("; ")}`));
			""";

	private Accessibility() {
	}

	/** Returns the violations that axe finds. */
	public static List<String> violations(Browser browser) {
		if (!browser.<Boolean>run("return typeof axe !== 'undefined'")) {
			browser.run(AXE);
		}
		return browser.run(RUN);
	}

	/**
	 * Returns the violations that axe finds while some HTML is added. It shows that axe
	 * is able to find violations.
	 */
	public static List<String> violationsWith(Browser browser, String html) {
		browser.run("document.querySelector('main section').insertAdjacentHTML('beforeend', arguments[0])",
				"<div id='planted'>" + html + "</div>");
		List<String> found = violations(browser);
		browser.run("document.querySelector('#planted').remove()");
		return found;
	}

	private static String read() {
		try (InputStream script = Accessibility.class.getResourceAsStream("/axe.min.js")) {
			if (script == null) {
				throw new IllegalStateException("axe is missing from the class path");
			}
			return new String(script.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
