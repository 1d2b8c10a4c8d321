package io.lockstarter.aop;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassReader;
import org.springframework.asm.Type;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Self-calls in the methods of a class, of its superclasses and interfaces, and of its
 * nested classes, as far as the byte code shows.
 *
 * @param type the class
 * @param all all self-calls
 */
record SelfCalls(Class<?> type, List<SelfCall> all) {

	private static final Log logger = LogFactory.getLog(SelfCalls.class);

	/**
	 * Reads the byte code of a class. Returns no calls if the byte code is not available,
	 * as in a native image.
	 */
	static SelfCalls of(Class<?> type) {
		Set<Class<?>> hierarchy = new LinkedHashSet<>();
		collectHierarchy(type, hierarchy);
		List<SelfCall> calls = new ArrayList<>();
		for (Class<?> each : hierarchy) {
			String name = Type.getInternalName(each);
			read(each, new SelfCallReader(name, name, "", calls::add), name, calls);
		}
		return new SelfCalls(type, calls);
	}

	private static void collectHierarchy(@Nullable Class<?> type, Set<Class<?>> hierarchy) {
		if (type != null && type.getClassLoader() != null && hierarchy.add(type)) {
			collectHierarchy(type.getSuperclass(), hierarchy);
			for (Class<?> each : type.getInterfaces()) {
				collectHierarchy(each, hierarchy);
			}
		}
	}

	private static void read(Class<?> bean, SelfCallReader reader, String name, List<SelfCall> calls) {
		// The names of variables are needed for lambda expressions of Kotlin.
		int skipped = ClassReader.SKIP_FRAMES | (KotlinDetector.isKotlinType(bean) ? 0 : ClassReader.SKIP_DEBUG);
		try (InputStream code = bean.getResourceAsStream("/" + name + ClassUtils.CLASS_FILE_SUFFIX)) {
			if (code == null) {
				return;
			}
			new ClassReader(code).accept(reader, skipped);
		}
		// The class file is newer than Spring's reader supports.
		catch (IOException | IllegalArgumentException ex) {
			logger.debug("The byte code of %s cannot be read".formatted(name), ex);
			return;
		}
		reader.inner()
			.forEach((inner, prefix) -> read(bean,
					new SelfCallReader(Type.getInternalName(bean), inner, prefix, calls::add), inner, calls));
	}

	/**
	 * Returns the calls of locked methods, by the names in their source.
	 */
	List<SelfCall> toLocked() {
		Set<String> names = AnnotatedMethod.all(this.type)
			.stream()
			.map((annotated) -> annotated.method().getName())
			.collect(Collectors.toSet());
		return this.all.stream()
			.filter((call) -> names.contains(call.name()))
			.flatMap((call) -> locked(call).map((method) -> call.of(KotlinFunctions.nameOf(method))).stream())
			.toList();
	}

	private Optional<Method> locked(SelfCall call) {
		return Stream
			.concat(Arrays.stream(ReflectionUtils.getAllDeclaredMethods(this.type)),
					Arrays.stream(ClassUtils.getAllInterfacesForClass(this.type))
						.flatMap((each) -> Arrays.stream(each.getMethods())))
			.filter((method) -> isCalled(method, call))
			.findFirst()
			.flatMap((method) -> AnnotatedMethod.find(method, this.type))
			.map(AnnotatedMethod::method);
	}

	private static boolean isCalled(Method method, SelfCall call) {
		return method.getName().equals(call.name()) && Type.getMethodDescriptor(method).equals(call.descriptor());
	}

}
