package io.lockstarter.aop;

import java.util.BitSet;

import org.springframework.asm.Opcodes;

/**
 * The operand stack of a method, of which only matters where {@code this} is. A
 * {@code long} and a {@code double} take two words. See chapter 6 of the Java Virtual
 * Machine Specification.
 */
final class OperandStack {

	private static final int[] POPS = new int[Opcodes.IFNONNULL + 1];

	private static final int[] PUSHES = new int[Opcodes.IFNONNULL + 1];

	static {
		all(0, 1, Opcodes.ACONST_NULL, Opcodes.SIPUSH);
		all(0, 2, Opcodes.LCONST_0, Opcodes.LCONST_1);
		all(0, 2, Opcodes.DCONST_0, Opcodes.DCONST_1);
		all(0, 1, Opcodes.ILOAD, Opcodes.ALOAD);
		each(0, 2, Opcodes.LLOAD, Opcodes.DLOAD);
		all(2, 1, Opcodes.IALOAD, Opcodes.SALOAD);
		each(2, 2, Opcodes.LALOAD, Opcodes.DALOAD);
		all(1, 0, Opcodes.ISTORE, Opcodes.ASTORE);
		each(2, 0, Opcodes.LSTORE, Opcodes.DSTORE);
		all(3, 0, Opcodes.IASTORE, Opcodes.SASTORE);
		each(4, 0, Opcodes.LASTORE, Opcodes.DASTORE);
		each(1, 0, Opcodes.POP);
		each(2, 0, Opcodes.POP2);
		for (int opcode = Opcodes.IADD; opcode <= Opcodes.DREM; opcode += 2) {
			each(2, 1, opcode);
			each(4, 2, opcode + 1);
		}
		each(1, 1, Opcodes.INEG, Opcodes.FNEG);
		each(2, 2, Opcodes.LNEG, Opcodes.DNEG);
		each(2, 1, Opcodes.ISHL, Opcodes.ISHR, Opcodes.IUSHR, Opcodes.IAND, Opcodes.IOR, Opcodes.IXOR);
		each(3, 2, Opcodes.LSHL, Opcodes.LSHR, Opcodes.LUSHR);
		each(4, 2, Opcodes.LAND, Opcodes.LOR, Opcodes.LXOR);
		each(1, 2, Opcodes.I2L, Opcodes.I2D, Opcodes.F2L, Opcodes.F2D);
		each(2, 1, Opcodes.L2I, Opcodes.L2F, Opcodes.D2I, Opcodes.D2F);
		each(2, 2, Opcodes.L2D, Opcodes.D2L);
		each(1, 1, Opcodes.I2F, Opcodes.F2I, Opcodes.I2B, Opcodes.I2C, Opcodes.I2S);
		each(4, 1, Opcodes.LCMP, Opcodes.DCMPL, Opcodes.DCMPG);
		each(2, 1, Opcodes.FCMPL, Opcodes.FCMPG);
		all(1, 0, Opcodes.IFEQ, Opcodes.IFLE);
		all(2, 0, Opcodes.IF_ICMPEQ, Opcodes.IF_ACMPNE);
		all(1, 0, Opcodes.IRETURN, Opcodes.ARETURN);
		each(2, 0, Opcodes.LRETURN, Opcodes.DRETURN);
		each(0, 1, Opcodes.NEW);
		each(1, 1, Opcodes.NEWARRAY, Opcodes.ANEWARRAY, Opcodes.ARRAYLENGTH, Opcodes.INSTANCEOF);
		each(1, 0, Opcodes.ATHROW, Opcodes.MONITORENTER, Opcodes.MONITOREXIT, Opcodes.IFNULL, Opcodes.IFNONNULL);
	}

	private final BitSet words = new BitSet();

	private int depth;

	private static void all(int pops, int pushes, int first, int last) {
		for (int opcode = first; opcode <= last; opcode++) {
			each(pops, pushes, opcode);
		}
	}

	private static void each(int pops, int pushes, int... opcodes) {
		for (int opcode : opcodes) {
			POPS[opcode] = pops;
			PUSHES[opcode] = pushes;
		}
	}

	/** Do what an instruction does that needs no more than its opcode. */
	void apply(int opcode) {
		switch (opcode) {
			case Opcodes.DUP -> duplicate(1, 0);
			case Opcodes.DUP_X1 -> duplicate(1, 1);
			case Opcodes.DUP_X2 -> duplicate(1, 2);
			case Opcodes.DUP2 -> duplicate(2, 0);
			case Opcodes.DUP2_X1 -> duplicate(2, 1);
			case Opcodes.DUP2_X2 -> duplicate(2, 2);
			case Opcodes.SWAP -> {
				duplicate(1, 1);
				pop(1);
			}
			// The same object, by another type.
			case Opcodes.CHECKCAST -> {
			}
			default -> {
				pop(POPS[opcode]);
				push(PUSHES[opcode]);
			}
		}
	}

	/** Put a copy of the uppermost words below some that are under them. */
	private void duplicate(int count, int below) {
		BitSet top = this.words.get(Math.max(0, this.depth - count), this.depth);
		BitSet under = this.words.get(Math.max(0, this.depth - count - below), Math.max(0, this.depth - count));
		pop(count + below);
		push(top, count);
		push(under, below);
		push(top, count);
	}

	private void push(BitSet pushed, int count) {
		for (int i = 0; i < count; i++) {
			this.words.set(this.depth++, pushed.get(i));
		}
	}

	/** Push words that are not {@code this}. */
	void push(int count) {
		push(new BitSet(), count);
	}

	void pushThis() {
		this.words.set(this.depth++);
	}

	void pop(int count) {
		this.depth = Math.max(0, this.depth - count);
	}

	/** Pop a word, and return whether it is {@code this}. */
	boolean popThis() {
		boolean found = this.depth > 0 && this.words.get(this.depth - 1);
		pop(1);
		return found;
	}

	int depth() {
		return this.depth;
	}

	OperandStack copy() {
		OperandStack copy = new OperandStack();
		copy.push(this.words, this.depth);
		return copy;
	}

	/** Return what is certain where two ways meet. */
	OperandStack merge(OperandStack other) {
		OperandStack merged = copy();
		merged.words.and(other.words);
		return merged;
	}

}
