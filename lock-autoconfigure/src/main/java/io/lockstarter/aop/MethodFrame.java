package io.lockstarter.aop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.Opcodes;

/**
 * Operand stack and local variables of a method, reduced to the positions of known
 * objects: {@code this} and the objects around it. A known object is represented by the
 * internal name of its class, any other word by {@code null}. A {@code long} and a {@code
 * double} take two words. See chapter 6 of the Java Virtual Machine Specification.
 */
final class MethodFrame {

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

	private final @Nullable String first;

	private final List<@Nullable String> words = new ArrayList<>();

	private final Map<Integer, String> variables = new HashMap<>();

	/**
	 * Creates the frame at the beginning of a method.
	 * @param first the object in the first variable, which does not change
	 */
	MethodFrame(@Nullable String first) {
		this.first = first;
	}

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

	/** Applies an instruction that is fully described by its opcode. */
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
			// The object is the same, only its type changes.
			case Opcodes.CHECKCAST -> {
			}
			default -> {
				pop(POPS[opcode]);
				push(PUSHES[opcode]);
			}
		}
	}

	/** Inserts a copy of the topmost words below some words under them. */
	private void duplicate(int count, int below) {
		List<@Nullable String> top = popAll(count);
		List<@Nullable String> under = popAll(below);
		this.words.addAll(top);
		this.words.addAll(under);
		this.words.addAll(top);
	}

	private List<@Nullable String> popAll(int count) {
		List<@Nullable String> top = this.words.subList(Math.max(0, depth() - count), depth());
		List<@Nullable String> popped = new ArrayList<>(top);
		top.clear();
		return popped;
	}

	/** Pushes words that are not known objects. */
	void push(int count) {
		this.words.addAll(Collections.nCopies(count, null));
	}

	void pushObject(@Nullable String object) {
		this.words.add(object);
	}

	void pop(int count) {
		popAll(count);
	}

	/** Pops a word, and returns it if it is a known object. */
	@Nullable String popObject() {
		List<@Nullable String> popped = popAll(1);
		return popped.isEmpty() ? null : popped.get(0);
	}

	/** Pushes the object in a variable. */
	void load(int variable) {
		pushObject((variable == 0 && this.first != null) ? this.first : this.variables.get(variable));
	}

	/** Pops an object into a variable. */
	void store(int variable) {
		String object = popObject();
		if (object != null) {
			this.variables.put(variable, object);
		}
		else {
			forget(variable);
		}
	}

	/** Removes the known object from a variable. */
	void forget(int variable) {
		this.variables.remove(variable);
	}

	int depth() {
		return this.words.size();
	}

	MethodFrame copy() {
		MethodFrame copy = new MethodFrame(this.first);
		copy.words.addAll(this.words);
		copy.variables.putAll(this.variables);
		return copy;
	}

	/** Returns the common part of two frames, for a position that several paths reach. */
	MethodFrame merge(MethodFrame other) {
		MethodFrame merged = copy();
		for (int i = 0; i < merged.depth(); i++) {
			if (i >= other.depth() || !Objects.equals(merged.words.get(i), other.words.get(i))) {
				merged.words.set(i, null);
			}
		}
		merged.variables.entrySet().retainAll(other.variables.entrySet());
		return merged;
	}

}
