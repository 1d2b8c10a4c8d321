package io.lockstarter.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaCall.Predicates;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.GeneralCodingRules;
import org.jspecify.annotations.NullMarked;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * Who may know whom below a root package.
 */
final class ArchitectureRules {

	/** The part that puts the others together and may know them all. */
	private static final String ASSEMBLY = "autoconfigure";

	private static final List<Part> PARTS = List.of(
			new Part("core", List.of(), "the API and the backend interface outlive every implementation of them"),
			new Part("annotation", List.of("core"), "an annotated class must not pull in what carries it out"),
			new Part("logging", List.of("core"), "everybody logs, whatever there is to log"),
			new Part("timer", List.of("core", "logging"), "a timer does not know what it runs"),
			new Part("engine", List.of("core", "logging", "timer"),
					"the engine works with any backend, with or without Spring"),
			new Part("redis", List.of("core", "logging", "timer"),
					"a backend knows tenures and leases, not owners, queues or proxies"),
			new Part("memory", List.of("core", "logging"),
					"a backend knows tenures and leases, not owners, queues or proxies"),
			new Part("reactor", List.of("core"), "pipelines are served by any registry, without annotations"),
			new Part("aop", List.of("core", "annotation", "reactor"), "annotated methods are served by any registry"),
			new Part("fence", List.of("core", "logging"), "the database judges any registry's locks, by their tokens"),
			new Part("observation", List.of("core"), "meters hear of any registry's locks, as its listener"),
			new Part("actuate", List.of("core"), "the endpoint shows any registry's locks, through its monitor"),
			new Part("adapter", List.of("core"), "other libraries' locks are served by any registry"));

	/** Parts that are built in layers: who may know whom among them. */
	private static final List<Part> LAYERS = List.of(
			new Part("engine.lock", List.of("engine.lease", "engine.command", "engine.event"),
					"what happens to one name must not depend on who asks for it"),
			new Part("engine.lease", List.of("engine.command"), "a lease lasts as long, whoever holds it"),
			new Part("engine.command", List.of(), "a command ends in time, whatever it is for"),
			new Part("engine.event", List.of(), "listeners are told of handles and losses, and reach nothing else"),
			new Part("redis", List.of("redis.script", "redis.client", "redis.wake", "redis.replication"),
					"one Redis works without a quorum"),
			new Part("redis.script", List.of(), "what is where in Redis is known in one place"),
			new Part("redis.client", List.of("redis.script"), "a client library sends calls, whatever they are for"),
			new Part("redis.wake", List.of("redis.client", "redis.script"),
					"messages only say that something happened"),
			new Part("redis.replication", List.of("redis.client", "redis.script"), "few users wait for replicas"));

	private static final List<String> IN_LAYERS = List.of("engine", "engine.lock", "engine.lease", "engine.command",
			"engine.event", "redis", "redis.script", "redis.client", "redis.wake", "redis.replication", "redis.quorum");

	private static final List<Library> LIBRARIES = List.of(new Library("A log that may block",
			List.of("org.apache.commons.logging..", "org.slf4j..", "org.apache.logging..", "java.util.logging.."),
			List.of("logging", "aop", "actuate", "adapter", "observation", ASSEMBLY),
			"an appender may block for longer than a lease, on a thread that renewals, replies or timeouts need"),
			new Library("Redis", List.of("org.springframework.data..", "io.lettuce..", "redis.clients.."),
					List.of("redis", ASSEMBLY), "another backend must be possible without Redis around"),
			new Library("Boot", List.of("org.springframework.boot.."), List.of("actuate", ASSEMBLY),
					"the locks work in a Spring application without Boot"),
			new Library("Micrometer", List.of("io.micrometer.."), List.of("observation", ASSEMBLY),
					"the locks work in an application without Micrometer"),
			new Library("Reactor", List.of("reactor..", "org.reactivestreams.."),
					List.of("reactor", "aop", "redis.client", ASSEMBLY),
					"publishers are locked and adapted in two places, and absent from most applications; Lettuce tells of its connections by one"),
			new Library("Kotlin", List.of("kotlin..", "kotlinx.."), List.of("aop"),
					"coroutines are followed in one place, and absent from most applications"),
			new Library("JDBC", List.of("java.sql..", "javax.sql..", "org.springframework.jdbc.."),
					List.of("fence", ASSEMBLY), "all but the fence works in an application without a database"),
			new Library("Spring Integration", List.of("org.springframework.integration.."),
					List.of("adapter", ASSEMBLY),
					"all but its adapter works in an application without Spring Integration"),
			new Library("ShedLock", List.of("net.javacrumbs.shedlock.."), List.of("adapter", ASSEMBLY),
					"all but its adapter works in an application without ShedLock"),
			new Library("Spring", List.of("org.springframework.."),
					List.of("redis", "aop", "fence", "actuate", "adapter", ASSEMBLY),
					"what holds the locks together must not change with a framework"));

	private final String root;

	ArchitectureRules(String root) {
		this.root = root;
	}

	List<ArchRule> all() {
		List<ArchRule> rules = new ArrayList<>();
		rules.add(everyPackageIsAPart());
		PARTS.forEach((part) -> rules.add(knowsOnlyItsParts(part)));
		LAYERS.forEach((layer) -> rules.add(knowsOnlyLayersBelow(layer)));
		rules.add(nothingUsesAutoconfigure());
		rules.add(noCycles());
		rules.add(coreUsesOnlyTheJdk());
		rules.add(innerPartsUseOnlyCoreAndLogging());
		rules.add(adaptersUseOnlyCoreAndWhatTheyAdapt());
		LIBRARIES.forEach((library) -> rules.add(isUsedOnlyAtHome(library)));
		rules.add(everyPackageIsNullMarked());
		rules.add(nothingSleeps());
		rules.add(threadsInheritNothing());
		rules.add(nothingPrints());
		rules.add(exceptionsKeepTheirFields());
		return rules.stream().map((rule) -> rule.allowEmptyShould(true)).toList();
	}

	private ArchRule everyPackageIsAPart() {
		return classes().should()
			.resideInAnyPackage(in(names()))
			.as("Every package is one of " + names().toList())
			.because("a package without an entry here may know everybody");
	}

	private ArchRule knowsOnlyItsParts(Part part) {
		String[] forbidden = in(
				names().filter((other) -> !other.equals(part.name()) && !part.mayKnow().contains(other)));
		return noClasses().that()
			.resideInAPackage(in(part.name()))
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(forbidden)
			.as("'%s' knows of the other parts only %s".formatted(part.name(), part.mayKnow()))
			.because(part.reason());
	}

	private ArchRule knowsOnlyLayersBelow(Part layer) {
		String tree = layer.name().split("\\.")[0];
		String[] forbidden = IN_LAYERS.stream()
			.filter((other) -> other.split("\\.")[0].equals(tree))
			.filter((other) -> !other.equals(layer.name()) && !layer.mayKnow().contains(other))
			.map((other) -> this.root + "." + other)
			.toArray(String[]::new);
		return noClasses().that()
			.resideInAPackage(this.root + "." + layer.name())
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(forbidden)
			.as("'%s' knows of '%s' only %s".formatted(layer.name(), tree, layer.mayKnow()))
			.because(layer.reason());
	}

	private ArchRule nothingUsesAutoconfigure() {
		return noClasses().that()
			.resideOutsideOfPackage(in(ASSEMBLY))
			.should()
			.dependOnClassesThat()
			.resideInAPackage(in(ASSEMBLY))
			.as("Nothing uses '%s'".formatted(ASSEMBLY))
			.because("everything must be usable without auto-configuration");
	}

	private ArchRule noCycles() {
		return slices().matching(this.root + ".(**)")
			.should()
			.beFreeOfCycles()
			.as("Packages have no cycles")
			.because("packages that know each other are one package, and can only be changed as one");
	}

	private ArchRule coreUsesOnlyTheJdk() {
		return classes().that()
			.resideInAPackage(in("core"))
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "org.jspecify..", in("core"))
			.as("'core' uses only the JDK")
			.because("every user and every backend has to take what the API brings along");
	}

	private ArchRule innerPartsUseOnlyCoreAndLogging() {
		String[] inner = in(Stream.of("annotation", "engine", "memory"));
		return classes().that()
			.resideInAnyPackage(inner)
			.should()
			.onlyDependOnClassesThat(JavaClass.Predicates
				.resideInAnyPackage("java..", "org.jspecify..", in("core"), in("logging"), in("timer"))
				.or(JavaClass.Predicates.resideInAnyPackage(inner)))
			.as("'annotation', 'engine' and 'memory' use only 'core', 'logging', 'timer' and the JDK")
			.because("they must work wherever the API works");
	}

	private ArchRule adaptersUseOnlyCoreAndWhatTheyAdapt() {
		return classes().that()
			.resideInAPackage(in("adapter"))
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "org.jspecify..", "org.apache.commons.logging..", in("core"), in("adapter"),
					"org.springframework.integration..", "net.javacrumbs.shedlock..")
			.as("'adapter' uses only 'core', the JDK, the logging facade and the adapted libraries")
			.because("an adapter must work wherever the library it adapts works, with Spring or without");
	}

	private ArchRule isUsedOnlyAtHome(Library library) {
		return noClasses().that()
			.resideOutsideOfPackages(in(library.homes().stream()))
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(library.packages().toArray(String[]::new))
			.as("%s is used only in %s".formatted(library.name(), library.homes()))
			.because(library.reason());
	}

	private ArchRule everyPackageIsNullMarked() {
		return classes().should(new ArchCondition<JavaClass>("reside in a package that is @NullMarked") {

			@Override
			public void check(JavaClass item, ConditionEvents events) {
				boolean marked = item.getPackage().isAnnotatedWith(NullMarked.class);
				events.add(new SimpleConditionEvent(item, marked,
						"%s is in package %s".formatted(item.getName(), item.getPackageName())));
			}

		}).because("the compiler checks for null only there");
	}

	private ArchRule nothingSleeps() {
		return noClasses().should()
			.callMethodWhere(Predicates
				.target(HasOwner.Predicates.With.<JavaClass>owner(JavaClass.Predicates.type(Thread.class))
					.or(HasOwner.Predicates.With.owner(JavaClass.Predicates.type(TimeUnit.class))))
				.and(Predicates.target(HasName.Predicates.name("sleep"))))
			.as("Nothing sleeps")
			.because("a sleeping thread can neither be woken by a release nor by the end of its wait time");
	}

	private ArchRule threadsInheritNothing() {
		return noClasses().that()
			.doNotHaveFullyQualifiedName(this.root + ".core.LockThreads")
			.should()
			.callCodeUnitWhere(DescribedPredicate.describe("makes a thread by itself", ArchitectureRules::makesThread))
			.as("Threads are made by LockThreads")
			.because(
					"others inherit the thread-locals of whoever makes them first, as another user's security context");
	}

	private static boolean makesThread(JavaCall<?> call) {
		JavaClass owner = call.getTargetOwner();
		boolean constructor = call instanceof JavaConstructorCall;
		if (constructor && (owner.isAssignableTo(Thread.class) || owner.isEquivalentTo(java.util.Timer.class))) {
			return true;
		}
		boolean pool = constructor ? owner.isAssignableTo(ThreadPoolExecutor.class)
				: owner.isEquivalentTo(Executors.class);
		return pool && call.getTarget()
			.getRawParameterTypes()
			.stream()
			.noneMatch((parameter) -> parameter.isEquivalentTo(ThreadFactory.class));
	}

	private ArchRule nothingPrints() {
		return GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS
			.because("what a library has to say belongs in the application's log");
	}

	private ArchRule exceptionsKeepTheirFields() {
		return noFields().that()
			.areDeclaredInClassesThat()
			.areAssignableTo(Throwable.class)
			.should()
			.haveModifier(JavaModifier.TRANSIENT)
			.as("Exceptions keep all their fields")
			.because("what they tell would be null where they were serialized, as by a remote call or a session");
	}

	private static Stream<String> names() {
		return Stream.concat(PARTS.stream().map(Part::name), Stream.of(ASSEMBLY));
	}

	private String in(String part) {
		return this.root + "." + part + "..";
	}

	private String[] in(Stream<String> parts) {
		return parts.map(this::in).toArray(String[]::new);
	}

	/**
	 * A package with all below it.
	 *
	 * @param name the package's name below the root
	 * @param mayKnow the parts it may use
	 * @param reason why only those
	 */
	private record Part(String name, List<String> mayKnow, String reason) {
	}

	/**
	 * A library that not all parts may use.
	 *
	 * @param name what to call it
	 * @param packages where its classes are
	 * @param homes the parts that may use it
	 * @param reason why only those
	 */
	private record Library(String name, List<String> packages, List<String> homes, String reason) {
	}

}
