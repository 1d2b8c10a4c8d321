package io.lockstarter.docs;

import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.aspectj.weaver.loadtime.definition.Definition;
import org.aspectj.weaver.loadtime.definition.DocumentParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The file aop.xml that docs/reference/aspectj.md shows is the one with which
 * {@code LockWeavingTests} weaves, except for the package.
 */
class AspectjPageTests {

	private static final Pattern XML = Pattern.compile("(?s)```xml\\n(.+?)```");

	private static final String WOVEN = "/io/lockstarter/autoconfigure/woven/aop.xml";

	@Test
	void showsTheFileThatTheTestsWeaveWith(@TempDir Path folder) throws Exception {
		List<String> blocks = Page.matches(XML, Page.of("docs", "reference", "aspectj.md").text()).toList();
		assertThat(blocks).hasSize(1);
		String block = blocks.get(0).replace("com.example", "io.lockstarter.autoconfigure.woven");
		Definition shown = parse(Files.writeString(folder.resolve("aop.xml"), block).toUri().toURL());
		Definition woven = parse(getClass().getResource(WOVEN));
		assertThat(shown.getAspectClassNames()).isNotEmpty().isEqualTo(woven.getAspectClassNames());
		assertThat(shown.getIncludePatterns()).isNotEmpty().isEqualTo(woven.getIncludePatterns());
	}

	private static Definition parse(URL file) throws Exception {
		return DocumentParser.parse(file);
	}

}
