package io.lockstarter.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The files that the page is made of.
 */
final class DashboardFiles {

	static final String DIRECTORY = "page/";

	static final List<String> NAMES = List.of("index.html", "dashboard.css", "dashboard.js", "dom.js", "drawer.js",
			"icon.svg", "instances.js", "locks.js", "polling.js", "sparkline.js", "status.js", "stream.js", "table.js",
			"words.js");

	private final Map<String, DashboardResponse> files = new HashMap<>();

	DashboardFiles() {
		NAMES.forEach((name) -> this.files.put("/" + name, DashboardResponse.file(type(name), read(name))));
	}

	/** The file at a path, or the page itself at a slash. */
	@Nullable DashboardResponse find(String path) {
		return this.files.get(path.equals("/") ? "/index.html" : path);
	}

	private static String type(String name) {
		return switch (name.substring(name.lastIndexOf('.'))) {
			case ".html" -> "text/html;charset=UTF-8";
			case ".css" -> "text/css;charset=UTF-8";
			case ".svg" -> "image/svg+xml";
			default -> "text/javascript;charset=UTF-8";
		};
	}

	private static String read(String name) {
		try (InputStream file = DashboardFiles.class.getResourceAsStream(DIRECTORY + name)) {
			if (file == null) {
				throw new IllegalStateException("The jar of lock-dashboard has no file " + name);
			}
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
