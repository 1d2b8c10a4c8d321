package io.lockstarter.verification.mistakes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.StubMethod;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Puts a mistake into a directory that precedes the class path.
 */
@FunctionalInterface
public interface Plant {

	/**
	 * Writes the class or the scripts with the mistake.
	 * @param classes where to
	 * @throws IOException if that fails
	 */
	void into(Path classes) throws IOException;

	/**
	 * Lets a method do something more, or something else.
	 * @param type the class of the method
	 * @param advice what it does, as Byte Buddy's {@link Advice} says it
	 * @param method the name of the method
	 * @param parameters its parameters; need not be told if it is the only one of its
	 * name
	 * @return the plant
	 */
	static Plant advice(Class<?> type, Class<?> advice, String method, Class<?>... parameters) {
		ElementMatcher<? super MethodDescription> place = place(type, method, parameters);
		return new InMethod(type, method,
				new ByteBuddy().redefine(type).visit(Advice.to(advice).on((candidate) -> place.matches(candidate))));
	}

	/**
	 * Lets a method do nothing, and return zero, {@code false} or {@code null}.
	 * @param type the class of the method
	 * @param method the name of the method, the only one of its name
	 * @return the plant
	 */
	static Plant nothing(Class<?> type, String method) {
		return new InMethod(type, method,
				new ByteBuddy().redefine(type).method(place(type, method)).intercept(StubMethod.INSTANCE));
	}

	/**
	 * Lets a script do something else.
	 * @param mistake what
	 * @return the plant
	 */
	static Plant script(WrongScript mistake) {
		return new InScripts(mistake);
	}

	private static ElementMatcher<? super MethodDescription> place(Class<?> type, String name, Class<?>... parameters) {
		ElementMatcher.Junction<MethodDescription> place = ElementMatchers.named(name);
		if (parameters.length > 0) {
			place = place.and(ElementMatchers.takesArguments(parameters));
		}
		long found = Arrays.stream(type.getDeclaredMethods())
			.map(MethodDescription.ForLoadedMethod::new)
			.filter(place::matches)
			.count();
		if (found != 1) {
			throw new IllegalStateException(
					"%s has %d methods %s%s".formatted(type, found, name, Arrays.toString(parameters)));
		}
		return place;
	}

	/**
	 * A mistake in a method.
	 *
	 * @param type the class
	 * @param method the name of the method
	 * @param mutant the class with the mistake
	 */
	record InMethod(Class<?> type, String method, DynamicType.Builder<?> mutant) implements Plant {

		@Override
		public void into(Path classes) throws IOException {
			this.mutant.make().saveIn(classes.toFile());
		}

		@Override
		public String toString() {
			return this.type.getName().replaceFirst(".*\\.", "").replace('$', '.') + "#" + this.method;
		}

	}

	/**
	 * A mistake in scripts.
	 *
	 * @param mistake the mistake
	 */
	record InScripts(WrongScript mistake) implements Plant {

		@Override
		public void into(Path classes) throws IOException {
			for (String script : this.mistake.scripts()) {
				Path file = classes.resolve(WrongScript.file(script));
				Files.createDirectories(file.getParent());
				Files.writeString(file, this.mistake.text(script));
			}
		}

		@Override
		public String toString() {
			return String.join(", ", this.mistake.scripts().stream().map((script) -> script + ".lua").toList());
		}

	}

}
