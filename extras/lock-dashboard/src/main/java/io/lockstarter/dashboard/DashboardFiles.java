package io.lockstarter.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.util.DigestUtils;

/**
 * Files of the page, which are sent without comments and indentation.
 */
final class DashboardFiles {

	static final String DIRECTORY = "page/";

	static final List<String> NAMES = List.of("index.html", "dashboard.css", "dashboard.js", "dom.js", "drawer.js",
			"icon.svg", "instances.js", "poll.js", "sparkline.js", "table.js", "words.js");

	private static final Pattern COMMENT = Pattern.compile("//.*|/\\*.*\\*/");

	private final Map<String, DashboardResponse> files = new HashMap<>();

	DashboardFiles() {
		NAMES.forEach((name) -> this.files.put("/" + name, file(name)));
	}

	/**
	 * Returns the file at a path. The path {@code /} stands for the page itself.
	 * @param knownTags the tags of the copies that the browser has, or {@code null} if it
	 * has none
	 * @return the file, or {@code null} if there is none at this path
	 */
	@Nullable DashboardResponse find(String path, @Nullable String knownTags) {
		DashboardResponse file = this.files.get(path.equals("/") ? "/index.html" : path);
		return (file != null && knownTags != null && knownTags.contains(file.headers().get("ETag"))) ? file.unchanged()
				: file;
	}

	private static String tag(String content) {
		return "W/\"%s\"".formatted(DigestUtils.md5DigestAsHex(content.getBytes(StandardCharsets.UTF_8)));
	}

	private static DashboardResponse file(String name) {
		String content = shortened(read(name));
		return DashboardResponse.file(type(name), content, tag(content));
	}

	private static String shortened(String content) {
		return content.lines()
			.map(String::strip)
			.filter((line) -> !line.isEmpty() && !COMMENT.matcher(line).matches())
			.collect(Collectors.joining("\n"));
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
