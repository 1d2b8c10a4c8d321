package io.lockstarter.aop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Visitor of one method's instructions that finds the calls of the bean's methods. They
 * are self-calls unless the method has access to another object of the bean's class: as a
 * parameter, as the value of a field or of a call, by a cast or by its creation. So a
 * bean that is injected into itself is not reported where it uses that reference.
 */
final class SelfCallVisitor extends MethodVisitor {

	/**
	 * Prefix of the synthetic fields of inner classes that refer to the enclosing object,
	 * and of its parameter in a lambda expression of Kotlin, which is a static method.
	 */
	private static final String ENCLOSING = "this$";

	/** Suffix of the static method in which Kotlin supplies default arguments. */
	private static final String DEFAULTS = "$default";

	private final Site site;

	private final Consumer<SelfCall> found;

	private final List<SelfCall> calls = new ArrayList<>();

	/**
	 * True if the first variable of the method is certainly the bean or an inner object.
	 */
	private boolean certain;

	/** True if the method has access to another object of the bean's class. */
	private boolean ambiguous;

	/**
	 * Method whose instructions are visited.
	 *
	 * @param bean the internal name of the class whose object is the bean
	 * @param type the internal name of the class that has the method
	 * @param caller the name of the method for messages
	 * @param method the name of the method in the source
	 * @param descriptor the descriptor of the method
	 * @param isStatic whether the method is static, so that the name of its first
	 * parameter decides whether that is the bean
	 */
	record Site(String bean, String type, String caller, String method, String descriptor, boolean isStatic) {

		/** Returns whether a type is the class of the bean, or an array of it. */
		boolean isBean(Type type) {
			Type element = (type.getSort() == Type.ARRAY) ? type.getElementType() : type;
			return element.equals(Type.getObjectType(this.bean));
		}

	}

	SelfCallVisitor(Site site, Consumer<SelfCall> found) {
		super(SpringAsmInfo.ASM_VERSION);
		this.site = site;
		this.found = found;
		this.certain = !site.isStatic();
		this.ambiguous = Arrays.stream(Type.getArgumentTypes(site.descriptor()))
			.skip(site.isStatic() ? 1 : 0)
			.anyMatch(site::isBean);
	}

	@Override
	public void visitTypeInsn(int opcode, String type) {
		// The type of a new array is that of its elements.
		this.ambiguous |= opcode != Opcodes.INSTANCEOF && this.site.isBean(Type.getObjectType(type));
	}

	@Override
	public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
		this.ambiguous |= !name.startsWith(ENCLOSING) && this.site.isBean(Type.getType(descriptor));
	}

	@Override
	public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
		this.ambiguous |= this.site.isBean(Type.getReturnType(descriptor));
		switch (opcode) {
			case Opcodes.INVOKESTATIC -> {
				if (owner.equals(this.site.bean()) && name.endsWith(DEFAULTS)) {
					addWithoutDefaults(name, descriptor);
				}
			}
			// An overriding method that calls the overridden one already holds the lock.
			case Opcodes.INVOKESPECIAL -> {
				if (this.site.type().equals(this.site.bean()) && !name.equals(this.site.method())) {
					add(name, descriptor);
				}
			}
			default -> {
				if (owner.equals(this.site.bean())) {
					add(name, descriptor);
				}
			}
		}
	}

	/** Adds the call of a function of Kotlin some of whose arguments are omitted. */
	private void addWithoutDefaults(String name, String descriptor) {
		Type[] types = Type.getArgumentTypes(descriptor);
		// Bean, arguments, a mask of 32 bits for each 32 of them, and a marker.
		int count = 1;
		while (count + (count + Integer.SIZE - 1) / Integer.SIZE + 2 < types.length) {
			count++;
		}
		add(name.substring(0, name.length() - DEFAULTS.length()),
				Type.getMethodDescriptor(Type.getReturnType(descriptor), Arrays.copyOfRange(types, 1, count + 1)));
	}

	/** Adds a method reference whose first argument is the bean. */
	@Override
	public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
		Type[] captured = Type.getArgumentTypes(descriptor);
		if (captured.length > 0 && this.site.isBean(captured[0])) {
			for (Object argument : arguments) {
				if (argument instanceof Handle handle && handle.getOwner().equals(this.site.bean())) {
					add(handle.getName(), handle.getDesc());
				}
			}
		}
	}

	private void add(String name, String descriptor) {
		this.calls.add(new SelfCall(this.site.caller(), name, descriptor));
	}

	@Override
	public void visitLocalVariable(String name, String descriptor, @Nullable String signature, Label start, Label end,
			int index) {
		this.certain |= index == 0 && name.startsWith(ENCLOSING);
	}

	@Override
	public void visitEnd() {
		if (this.certain && !this.ambiguous) {
			this.calls.forEach(this.found);
		}
	}

}
