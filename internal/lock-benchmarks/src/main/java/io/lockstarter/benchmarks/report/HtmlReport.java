package io.lockstarter.benchmarks.report;

import java.util.List;

import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * Conversion of the report from Markdown to HTML.
 */
final class HtmlReport {

	private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());

	private static final String PAGE = """
			<!DOCTYPE html>
			<html lang="en">
			<head>
			<meta charset="utf-8">
			<title>Benchmarks</title>
			<style>
			body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 100em; padding: 0 1em; }
			table { border-collapse: collapse; margin: 1em 0; }
			th, td { border: 1px solid #ccc; padding: .25em .6em; white-space: nowrap; }
			th { background: #f3f3f3; white-space: normal; }
			img { max-width: 100%%; }
			</style>
			</head>
			<body>
			%s</body>
			</html>
			""";

	private HtmlReport() {
	}

	static String of(String markdown) {
		String body = HtmlRenderer.builder()
			.extensions(EXTENSIONS)
			.build()
			.render(Parser.builder().extensions(EXTENSIONS).build().parse(markdown));
		return PAGE.formatted(body);
	}

}
