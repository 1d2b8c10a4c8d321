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
 * Place of a mistake, which writes changed files to a directory that precedes the class
 * path.
 */
@FunctionalInterface
public interface Plant {

	/**
	 * Writes the class or the scripts with the mistake.
	 * @param classes the directory
	 * @throws IOException if a file cannot be written
	 */
	void into(Path classes) throws IOException;

	/**
	 * Changes a method by advice.
	 * @param type the class of the method
	 * @param advice the class with the {@link Advice}
	 * @param method the name of the method
	 * @param parameters the parameters of the method, which may be omitted if its name is
	 * unique
	 * @return the place
	 */
	static Plant advice(Class<?> type, Class<?> advice, String method, Class<?>... parameters) {
		ElementMatcher<? super MethodDescription> target = target(type, method, parameters);
		return new InMethod(type, method,
				new ByteBuddy().redefine(type).visit(Advice.to(advice).on((candidate) -> target.matches(candidate))));
	}

	/**
	 * Replaces a method by one that returns zero, {@code false} or {@code null}.
	 * @param type the class of the method
	 * @param method the unique name of the method
	 * @return the place
	 */
	static Plant nothing(Class<?> type, String method) {
		return new InMethod(type, method,
				new ByteBuddy().redefine(type).method(target(type, method)).intercept(StubMethod.INSTANCE));
	}

	/**
	 * Changes a script.
	 * @param mistake the mistake
	 * @return the place
	 */
	static Plant script(WrongScript mistake) {
		return new InScripts(mistake);
	}

	private static ElementMatcher<? super MethodDescription> target(Class<?> type, String name,
			Class<?>... parameters) {
		ElementMatcher.Junction<MethodDescription> target = ElementMatchers.named(name);
		if (parameters.length > 0) {
			target = target.and(ElementMatchers.takesArguments(parameters));
		}
		long found = Arrays.stream(type.getDeclaredMethods())
			.map(MethodDescription.ForLoadedMethod::new)
			.filter(target::matches)
			.count();
		if (found != 1) {
			throw new IllegalStateException(
					"%s has %d methods %s%s".formatted(type, found, name, Arrays.toString(parameters)));
		}
		return target;
	}

	/**
	 * Mistake in a method.
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
	 * Mistake in scripts.
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
