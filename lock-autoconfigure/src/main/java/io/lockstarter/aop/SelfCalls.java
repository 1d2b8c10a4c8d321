package io.lockstarter.aop;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The calls that the methods of a class and of its superclasses make on their own object,
 * as far as the byte code shows.
 *
 * @param type the class
 * @param all all such calls
 */
record SelfCalls(Class<?> type, List<SelfCall> all) {

	private static final Log logger = LogFactory.getLog(SelfCalls.class);

	/**
	 * Read the byte code of a class. There is none where it cannot be had, as in a native
	 * image.
	 */
	static SelfCalls of(Class<?> type) {
		List<SelfCall> calls = new ArrayList<>();
		for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
			try (InputStream code = each.getResourceAsStream(ClassUtils.getClassFileName(each))) {
				if (code != null) {
					new ClassReader(code).accept(new Methods(calls), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
				}
			}
			// A class file that is newer than Spring's reader.
			catch (IOException | IllegalArgumentException ex) {
				logger.debug("The byte code of %s cannot be read".formatted(each.getName()), ex);
			}
		}
		return new SelfCalls(type, calls);
	}

	/** Return the calls of methods that are to be locked. */
	List<SelfCall> toLocked() {
		Set<String> names = AnnotatedMethod.all(this.type)
			.stream()
			.map((annotated) -> annotated.method().getName())
			.collect(Collectors.toSet());
		return this.all.stream().filter((call) -> names.contains(call.name()) && isLocked(call)).toList();
	}

	private boolean isLocked(SelfCall call) {
		return Stream
			.concat(Arrays.stream(ReflectionUtils.getAllDeclaredMethods(this.type)),
					Arrays.stream(ClassUtils.getAllInterfacesForClass(this.type))
						.flatMap((each) -> Arrays.stream(each.getMethods())))
			.filter((method) -> isCalled(method, call))
			.findFirst()
			.flatMap((method) -> AnnotatedMethod.find(method, this.type))
			.isPresent();
	}

	private static boolean isCalled(Method method, SelfCall call) {
		return method.getName().equals(call.name()) && Type.getMethodDescriptor(method).equals(call.descriptor());
	}

	/**
	 * Visits the methods that have an object of their own.
	 */
	private static final class Methods extends ClassVisitor {

		private final List<SelfCall> calls;

		Methods(List<SelfCall> calls) {
			super(SpringAsmInfo.ASM_VERSION);
			this.calls = calls;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			boolean bridge = (access & Opcodes.ACC_BRIDGE) != 0;
			boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
			return (bridge || isStatic) ? null : new SelfCallVisitor(caller(name), this.calls);
		}

		private static String caller(String name) {
			if (name.equals("<init>")) {
				return "its constructor";
			}
			// Such as lambda$caller$0 of Java and caller$lambda$0 of Kotlin.
			String bare = name.startsWith("lambda$") ? name.substring("lambda$".length()) : name;
			int end = bare.indexOf('$');
			return (end > 0) ? bare.substring(0, end) : bare;
		}

	}

}
