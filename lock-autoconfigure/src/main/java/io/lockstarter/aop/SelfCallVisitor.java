package io.lockstarter.aop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Follows one method of an object, instruction by instruction, and notes the calls on
 * {@code this}. Jumps carry their operand stack to where they go; what is reached only by
 * a jump back begins with an empty one, as compilers make it.
 */
final class SelfCallVisitor extends MethodVisitor {

	private final String caller;

	private final List<SelfCall> calls;

	private final Map<Label, OperandStack> jumps = new HashMap<>();

	/** {@code null} after an instruction that nothing follows. */
	private @Nullable OperandStack stack = new OperandStack();

	SelfCallVisitor(String caller, List<SelfCall> calls) {
		super(SpringAsmInfo.ASM_VERSION);
		this.caller = caller;
		this.calls = calls;
	}

	@Override
	public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
		OperandStack caught = new OperandStack();
		caught.push(1);
		this.jumps.put(handler, caught);
	}

	@Override
	public void visitLabel(Label label) {
		OperandStack jumped = this.jumps.get(label);
		if (jumped != null) {
			this.stack = (this.stack != null) ? this.stack.merge(jumped) : jumped.copy();
		}
	}

	@Override
	public void visitJumpInsn(int opcode, Label label) {
		current().apply(opcode);
		jump(label);
		if (opcode == Opcodes.GOTO) {
			this.stack = null;
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
		this.stack = null;
	}

	private void jump(Label label) {
		this.jumps.merge(label, current().copy(), OperandStack::merge);
	}

	@Override
	public void visitInsn(int opcode) {
		current().apply(opcode);
		if (opcode == Opcodes.ATHROW || (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN)) {
			this.stack = null;
		}
	}

	@Override
	public void visitIntInsn(int opcode, int operand) {
		current().apply(opcode);
	}

	@Override
	public void visitVarInsn(int opcode, int variable) {
		if (opcode == Opcodes.ALOAD && variable == 0) {
			current().pushThis();
		}
		else {
			current().apply(opcode);
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
		boolean isStatic = opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC;
		boolean writes = opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC;
		current().pop((writes ? size : 0) + (isStatic ? 0 : 1));
		current().push(writes ? 0 : size);
	}

	@Override
	public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
		int sizes = Type.getArgumentsAndReturnSizes(descriptor);
		current().pop((sizes >> 2) - 1);
		if (opcode != Opcodes.INVOKESTATIC && current().popThis() && opcode != Opcodes.INVOKESPECIAL) {
			this.calls.add(new SelfCall(this.caller, name, descriptor));
		}
		current().push(sizes & 3);
	}

	/** The first argument of a reference to a method of {@code this} is that object. */
	@Override
	public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
		int sizes = Type.getArgumentsAndReturnSizes(descriptor);
		int words = (sizes >> 2) - 1;
		if (words > 0) {
			current().pop(words - 1);
			if (current().popThis()) {
				for (Object argument : arguments) {
					if (argument instanceof Handle handle && isCallOfObject(handle)) {
						this.calls.add(new SelfCall(this.caller, handle.getName(), handle.getDesc()));
					}
				}
			}
		}
		current().push(sizes & 3);
	}

	private static boolean isCallOfObject(Handle handle) {
		return handle.getTag() == Opcodes.H_INVOKEVIRTUAL || handle.getTag() == Opcodes.H_INVOKEINTERFACE;
	}

	int depth() {
		return current().depth();
	}

	private OperandStack current() {
		OperandStack known = this.stack;
		if (known == null) {
			known = new OperandStack();
			this.stack = known;
		}
		return known;
	}

}
