package io.lockstarter.aop;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Reader of the methods of a class, or of a nested class whose objects refer to the bean.
 */
final class SelfCallReader extends ClassVisitor {

	private final String bean;

	private final String type;

	private final String prefix;

	private final Consumer<SelfCall> found;

	private final Map<String, String> inner = new LinkedHashMap<>();

	private @Nullable String enclosing;

	/**
	 * Creates a reader for one class.
	 * @param bean the internal name of the class whose object is the bean
	 * @param type the internal name of the class that is read
	 * @param prefix the names of the classes between the two, each with a dot
	 * @param found is called with each self-call
	 */
	SelfCallReader(String bean, String type, String prefix, Consumer<SelfCall> found) {
		super(SpringAsmInfo.ASM_VERSION);
		this.bean = bean;
		this.type = type;
		this.prefix = prefix;
		this.found = found;
	}

	/** Returns the classes directly within this one, each with its prefix. */
	Map<String, String> inner() {
		return this.inner;
	}

	/** Records the enclosing method of an anonymous or local class as the caller. */
	@Override
	public void visitOuterClass(String owner, @Nullable String name, @Nullable String descriptor) {
		this.enclosing = this.prefix + sourceName((name != null) ? name : "<init>");
	}

	@Override
	public void visitInnerClass(String name, @Nullable String outerName, @Nullable String innerName, int access) {
		// Kotlin declares all anonymous classes static.
		boolean within = (outerName != null) ? outerName.equals(this.type) && (access & Opcodes.ACC_STATIC) == 0
				: name.startsWith(this.type + "$");
		if (within) {
			this.inner.put(name, (outerName != null) ? this.prefix + innerName + "." : this.prefix);
		}
	}

	@Override
	public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
			String @Nullable [] exceptions) {
		boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
		if ((access & Opcodes.ACC_BRIDGE) != 0 || (isStatic && !mayBeLambdaOfKotlin(name, descriptor))) {
			return null;
		}
		String method = sourceName(name);
		String caller = (this.enclosing != null) ? this.enclosing : this.prefix + method;
		return new SelfCallVisitor(new SelfCallVisitor.Site(this.bean, this.type, caller, method, descriptor, isStatic),
				this.found);
	}

	private boolean mayBeLambdaOfKotlin(String name, String descriptor) {
		return name.contains("$lambda$") && descriptor.startsWith("(" + Type.getObjectType(this.type).getDescriptor());
	}

	/**
	 * Returns the name without the additions of compilers, as in {@code lambda$name$0} of
	 * Java, or {@code name$lambda$0} and {@code name-hash} of Kotlin.
	 */
	private static String sourceName(String name) {
		if (name.equals("<init>")) {
			return "its constructor";
		}
		String bare = name.startsWith("lambda$") ? name.substring("lambda$".length()) : name;
		int dollar = bare.indexOf('$');
		String end = (dollar > 0) ? bare.substring(0, dollar) : bare;
		int hash = end.indexOf('-');
		return (hash > 0) ? end.substring(0, hash) : end;
	}

}
