package io.lockstarter.docs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.lockstarter.engine.lock.MachineParts;
import io.lockstarter.engine.lock.Transitions;
import io.lockstarter.engine.lock.Transitions.Transition;
import io.lockstarter.testing.MarkdownTable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What INSIDE.md says of the engine is so, and nothing is missing there.
 */
class InsidePageTests {

	private static final Path FILE = Path.of("INSIDE.md");

	private static final Page PAGE = Page.of("lock-autoconfigure", "INSIDE.md");

	private static final Pattern DIAGRAM = Pattern.compile("(?s)```mermaid\\n(.+?)```");

	private static final Pattern EDGE = Pattern.compile("(\\S+) --> (\\S+?)(?: : (.+))?");

	private static final Pattern ARROW = Pattern.compile("(\\w+)(--?)>>(\\w+): (.+)");

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	private static final Pattern CLASS = Pattern.compile("[A-Z][a-z]\\w*");

	private static final String ANY = "any event";

	private static final JavaClasses MAIN = new ClassFileImporter().importPath(Path.of("target", "classes"));

	private final List<Transition> drawn = drawn();

	@Test
	void hasEveryStateAndNoOther() {
		Set<String> states = this.drawn.stream()
			.flatMap((edge) -> Stream.of(edge.from(), edge.to()))
			.filter((state) -> !state.equals(Transitions.OUTSIDE))
			.collect(Collectors.toSet());
		assertThat(states).isEqualTo(MachineParts.states());
		assertThat(codes(table("### States").rows().keySet())).hasSameElementsAs(states).doesNotHaveDuplicates();
	}

	@Test
	void hasEveryEventAndNoOther() {
		assertThat(codes(table("### Events").rows().keySet())).hasSameElementsAs(MachineParts.events())
			.doesNotHaveDuplicates();
	}

	@Test
	void hasEveryEffectAndNoOther() {
		Map<String, Set<String>> effects = new TreeMap<>();
		table("### Effects").rows()
			.forEach((kind, cells) -> effects.put(codes(List.of(kind)).get(0), new TreeSet<>(codes(cells))));
		assertThat(effects).isEqualTo(MachineParts.effects());
	}

	@Test
	void drawsWhatHappens() {
		Set<Transition> happened = Transitions.ofWalks(500_000);
		assertThat(this.drawn).doesNotHaveDuplicates();
		assertThat(happened).as("what is drawn").containsAll(this.drawn);
		happened.removeAll(this.drawn);
		List<NotDrawn> listed = notDrawn();
		assertThat(happened).as("what is not drawn")
			.isNotEmpty()
			.allMatch((transition) -> listed.stream().anyMatch((row) -> row.names(transition)));
	}

	@Tag("stress")
	@Test
	void listsWhatHappensSeldom() {
		Set<Transition> happened = Transitions.ofWalks(10_000_000);
		happened.removeAll(this.drawn);
		List<NotDrawn> listed = notDrawn();
		assertThat(happened).as("what is not drawn")
			.allMatch((transition) -> listed.stream().anyMatch((row) -> row.names(transition)));
		assertThat(listed).as("what is listed").allMatch((row) -> happened.stream().anyMatch(row::names));
	}

	@ParameterizedTest
	@MethodSource("arrows")
	void drawsCallsThatThereAre(Arrow arrow) {
		if (arrow.isCall()) {
			JavaClass target = classOf(arrow.to());
			assertThat(target.getAllMethods()).as(arrow.text()).extracting("name").contains(arrow.text());
			if (!arrow.from().equals("Caller")) {
				assertThat(calls(arrow.from())).as(arrow.toString())
					.anyMatch((call) -> call.getName().equals(arrow.text())
							&& call.getTargetOwner().isAssignableFrom(target.getName()));
			}
		}
		else {
			assertThat(MAIN).extracting(JavaClass::getSimpleName).contains(arrow.from(), arrow.to());
		}
	}

	@Test
	void drawsTheEffectsOfAnUncontendedCall() {
		List<List<String>> effects = arrows().filter((arrow) -> !arrow.isCall() && arrow.from().equals("LockMachine"))
			.map((arrow) -> List.of(arrow.text().split(", ")))
			.toList();
		assertThat(effects).isEqualTo(MachineParts.effectsOfAnUncontendedCall());
	}

	@Test
	void answersEachQuestionWithOneClass() {
		MarkdownTable questions = table("## Where is it decided?");
		assertThat(questions.rows()).hasSizeGreaterThan(6);
		questions.rows()
			.forEach((question, cells) -> assertThat(codes(List.of(cells.get(0)))).as(question)
				.singleElement()
				.satisfies(InsidePageTests::classOf));
	}

	@Test
	void namesOnlyClassesThatThereAre() {
		String text = DIAGRAM.matcher(PAGE.text()).replaceAll("");
		List<String> classes = codes(List.of(text)).stream().filter(CLASS.asMatchPredicate()).toList();
		assertThat(classes).hasSizeGreaterThan(50);
		assertThat(MAIN).extracting(JavaClass::getSimpleName).containsAll(classes);
	}

	private static MarkdownTable table(String heading) {
		return MarkdownTable.below(heading, FILE);
	}

	private static List<String> codes(Collection<String> texts) {
		return texts.stream().flatMap((text) -> Page.matches(CODE, text)).toList();
	}

	/** The lines of a diagram of some kind, without the first. */
	private static List<String> diagram(String kind) {
		return Page.matches(DIAGRAM, PAGE.text())
			.map((text) -> text.lines().map(String::strip).toList())
			.filter((lines) -> lines.get(0).equals(kind))
			.map((lines) -> lines.subList(1, lines.size()))
			.findFirst()
			.orElseThrow();
	}

	private static List<Transition> drawn() {
		List<Transition> drawn = new ArrayList<>();
		for (String line : diagram("stateDiagram-v2")) {
			Matcher edge = matcher(EDGE, line);
			String events = (edge.group(3) != null) ? edge.group(3) : "";
			Arrays.stream(events.split(", "))
				.forEach((event) -> drawn.add(new Transition(edge.group(1), event, edge.group(2))));
		}
		return drawn;
	}

	private static List<NotDrawn> notDrawn() {
		List<NotDrawn> rows = new ArrayList<>();
		table("### Not drawn").rows().forEach((states, cells) -> {
			String[] ends = states.split(" to ");
			String events = cells.get(0);
			rows.add(new NotDrawn(codes(List.of(ends[0])), events.equals(ANY) ? List.of() : codes(List.of(events)),
					codes(List.of(ends[1]))));
		});
		return rows;
	}

	static Stream<Arrow> arrows() {
		return diagram("sequenceDiagram").stream().filter((line) -> !line.startsWith("Note ")).map((line) -> {
			Matcher arrow = matcher(ARROW, line);
			return new Arrow(arrow.group(1), arrow.group(3), arrow.group(2).equals("-"), arrow.group(4));
		});
	}

	private static Matcher matcher(Pattern pattern, String line) {
		Matcher matcher = pattern.matcher(line);
		assertThat(matcher.matches()).as(line).isTrue();
		return matcher;
	}

	private static JavaClass classOf(String name) {
		return MAIN.stream()
			.filter((type) -> type.getSimpleName().equals(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError("There is no class " + name));
	}

	/** The calls from a class and those inside it. */
	private static Stream<JavaMethodCall> calls(String name) {
		String outer = classOf(name).getName();
		return MAIN.stream()
			.filter((type) -> type.getName().equals(outer) || type.getName().startsWith(outer + "$"))
			.flatMap((type) -> type.getMethodCallsFromSelf().stream());
	}

	/**
	 * Transitions that are listed, not drawn.
	 *
	 * @param events the events, or none for any
	 */
	private record NotDrawn(List<String> from, List<String> events, List<String> to) {

		boolean names(Transition transition) {
			return this.from.contains(transition.from()) && this.to.contains(transition.to())
					&& (this.events.isEmpty() || this.events.contains(transition.event()));
		}

	}

	/**
	 * One line of the path of a call.
	 *
	 * @param isCall whether a method is called, of which the text is the name
	 */
	private record Arrow(String from, String to, boolean isCall, String text) {
	}

}
