package io.lockstarter.aop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Visitor of one method's instructions that finds the calls on the bean: on {@code this},
 * or on the object around it in a method of an inner class. Each jump propagates its
 * frame to its target. Code that only a backward jump reaches begins with an empty
 * operand stack, as compilers generate it.
 */
final class SelfCallVisitor extends MethodVisitor {

	/**
	 * Name of {@code this} in a lambda expression of Kotlin, which is a static method.
	 */
	private static final String CAPTURED_THIS = "this$0";

	private static final String DEFAULTS = "$default";

	private final Site site;

	private final Consumer<SelfCall> found;

	private final List<SelfCall> calls = new ArrayList<>();

	private final Map<Label, MethodFrame> jumps = new HashMap<>();

	private boolean certain;

	/**
	 * Current frame, or {@code null} after an instruction that never continues with the
	 * next one.
	 */
	private @Nullable MethodFrame frame;

	/**
	 * Method whose instructions are visited.
	 *
	 * @param bean the internal name of the class whose object is the bean
	 * @param type the internal name of the class that has the method
	 * @param caller the name of the method for messages
	 * @param method the name of the method in the source
	 * @param certain whether the first variable is certainly {@code this}; otherwise its
	 * name decides
	 */
	record Site(String bean, String type, String caller, String method, boolean certain) {
	}

	SelfCallVisitor(Site site, Consumer<SelfCall> found) {
		super(SpringAsmInfo.ASM_VERSION);
		this.site = site;
		this.found = found;
		this.certain = site.certain();
	}

	@Override
	public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
		MethodFrame caught = empty();
		caught.push(1);
		this.jumps.put(handler, caught);
	}

	@Override
	public void visitLabel(Label label) {
		MethodFrame jumped = this.jumps.get(label);
		if (jumped != null) {
			this.frame = (this.frame != null) ? this.frame.merge(jumped) : jumped.copy();
		}
	}

	@Override
	public void visitJumpInsn(int opcode, Label label) {
		current().apply(opcode);
		jump(label);
		if (opcode == Opcodes.GOTO) {
			this.frame = null;
		}
	}

	@Override
	public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
		switchTo(otherwise, labels);
	}

	@Override
	public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
		switchTo(otherwise, labels);
	}

	private void switchTo(Label otherwise, Label... labels) {
		current().pop(1);
		jump(otherwise);
		for (Label label : labels) {
			jump(label);
		}
		this.frame = null;
	}

	private void jump(Label label) {
		this.jumps.merge(label, current().copy(), MethodFrame::merge);
	}

	@Override
	public void visitInsn(int opcode) {
		current().apply(opcode);
		if (opcode == Opcodes.ATHROW || (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN)) {
			this.frame = null;
		}
	}

	@Override
	public void visitIntInsn(int opcode, int operand) {
		current().apply(opcode);
	}

	@Override
	public void visitVarInsn(int opcode, int variable) {
		switch (opcode) {
			case Opcodes.ALOAD -> current().load(variable);
			case Opcodes.ASTORE -> current().store(variable);
			default -> {
				current().apply(opcode);
				if (opcode >= Opcodes.ISTORE && opcode < Opcodes.ASTORE) {
					current().forget(variable);
				}
			}
		}
	}

	@Override
	public void visitTypeInsn(int opcode, String type) {
		current().apply(opcode);
	}

	@Override
	public void visitLdcInsn(Object value) {
		current().push((value instanceof Long || value instanceof Double) ? 2 : 1);
	}

	@Override
	public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
		current().pop(dimensions);
		current().push(1);
	}

	@Override
	public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
		int size = Type.getType(descriptor).getSize();
		switch (opcode) {
			case Opcodes.GETSTATIC -> current().push(size);
			case Opcodes.PUTSTATIC -> current().pop(size);
			case Opcodes.PUTFIELD -> current().pop(size + 1);
			default -> {
				boolean around = owner.equals(current().popObject()) && name.startsWith("this$");
				current().push(around ? 0 : size);
				if (around) {
					current().pushObject(Type.getType(descriptor).getInternalName());
				}
			}
		}
	}

	@Override
	public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
		boolean onObject = opcode != Opcodes.INVOKESTATIC;
		if (firstIsBean(descriptor, onObject)) {
			if (!onObject) {
				callWithDefaults(name, descriptor);
			}
			// An overriding method that calls the overridden one already holds the lock.
			else if (opcode != Opcodes.INVOKESPECIAL || !name.equals(this.site.method())) {
				add(name, descriptor);
			}
		}
		current().push(Type.getArgumentsAndReturnSizes(descriptor) & 3);
	}

	/**
	 * Adds the call of a function with default arguments, which Kotlin supplies in a
	 * static method.
	 */
	private void callWithDefaults(String name, String descriptor) {
		if (!name.endsWith(DEFAULTS)) {
			return;
		}
		Type[] types = Type.getArgumentTypes(descriptor);
		// Bean, arguments, a mask of 32 bits for each 32 of them, and a marker.
		int count = 1;
		while (count + (count + Integer.SIZE - 1) / Integer.SIZE + 2 < types.length) {
			count++;
		}
		Type[] arguments = new Type[count];
		System.arraycopy(types, 1, arguments, 0, count);
		add(name.substring(0, name.length() - DEFAULTS.length()),
				Type.getMethodDescriptor(Type.getReturnType(descriptor), arguments));
	}

	/** Adds a method reference whose first argument is the bean. */
	@Override
	public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
		if (firstIsBean(descriptor, false)) {
			for (Object argument : arguments) {
				if (argument instanceof Handle handle && isCallOfObject(handle)) {
					add(handle.getName(), handle.getDesc());
				}
			}
		}
		current().push(Type.getArgumentsAndReturnSizes(descriptor) & 3);
	}

	private static boolean isCallOfObject(Handle handle) {
		return handle.getTag() == Opcodes.H_INVOKEVIRTUAL || handle.getTag() == Opcodes.H_INVOKEINTERFACE;
	}

	/**
	 * Pops all arguments, and returns whether the first one is the bean.
	 * @param onObject whether the object precedes the arguments
	 */
	private boolean firstIsBean(String descriptor, boolean onObject) {
		int words = (Type.getArgumentsAndReturnSizes(descriptor) >> 2) - (onObject ? 0 : 1);
		if (words == 0) {
			return false;
		}
		current().pop(words - 1);
		return Objects.equals(current().popObject(), this.site.bean());
	}

	private void add(String name, String descriptor) {
		this.calls.add(new SelfCall(this.site.caller(), name, descriptor));
	}

	@Override
	public void visitLocalVariable(String name, String descriptor, @Nullable String signature, Label start, Label end,
			int index) {
		this.certain |= index == 0 && name.equals(CAPTURED_THIS);
	}

	@Override
	public void visitEnd() {
		if (this.certain) {
			this.calls.forEach(this.found);
		}
	}

	int depth() {
		return current().depth();
	}

	private MethodFrame current() {
		MethodFrame known = this.frame;
		if (known == null) {
			known = empty();
			this.frame = known;
		}
		return known;
	}

	private MethodFrame empty() {
		return new MethodFrame(this.site.type());
	}

}
