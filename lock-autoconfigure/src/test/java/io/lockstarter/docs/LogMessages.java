package io.lockstarter.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;

/**
 * Reads from the main sources what is logged as a warning or an error, with an ellipsis
 * for whatever is filled in.
 */
final class LogMessages extends TreeScanner<Void, Void> {

	private static final Path SOURCES = Path.of("src", "main", "java");

	private static final Set<String> LEVELS = Set.of("warn", "error", "fatal");

	private static final Set<String> LOGS = Set.of("Log", "LockLog");

	private static final Set<String> OTHER_LOGGERS = Set.of("org.slf4j", "java.util.logging", "org.apache.logging",
			"java.lang.System.Logger");

	/** Where the text comes from that a class logs without knowing it. */
	private static final Map<String, String> MADE_ELSEWHERE = Map.of("LockLoss.toString", "Listeners",
			"RedisServerInfo.warnings", "LockStartupReport");

	private final Map<String, String> levels = new TreeMap<>();

	private final Map<String, String> elsewhere = new TreeMap<>();

	private final Map<String, String> levelsOfElsewhere = new TreeMap<>();

	private final Deque<String> classes = new ArrayDeque<>();

	/** The texts of the current method's variables. */
	private final Map<String, String> variables = new TreeMap<>();

	private String method = "";

	private LogMessages() {
	}

	/** Each message with its level. */
	static Map<String, String> ofMainSources() {
		LogMessages messages = new LogMessages();
		parse().forEach((unit) -> messages.scan(unit, null));
		messages.resolve();
		return messages.levels;
	}

	private static Iterable<? extends CompilationUnitTree> parse() {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
				Stream<Path> files = Files.walk(SOURCES)) {
			List<Path> sources = files.filter((file) -> file.toString().endsWith(".java")).toList();
			JavacTask task = (JavacTask) compiler.getTask(null, manager, null, null, null,
					manager.getJavaFileObjectsFromPaths(sources));
			return task.parse();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void resolve() {
		if (!Set.copyOf(MADE_ELSEWHERE.values()).equals(this.levelsOfElsewhere.keySet())) {
			throw new AssertionError("%s log texts that are made elsewhere; %s says where"
				.formatted(this.levelsOfElsewhere.keySet(), MADE_ELSEWHERE));
		}
		this.elsewhere.forEach((message, logs) -> this.levels.put(message, this.levelsOfElsewhere.get(logs)));
	}

	@Override
	public Void visitImport(ImportTree node, Void none) {
		String name = node.getQualifiedIdentifier().toString();
		if (OTHER_LOGGERS.stream().anyMatch(name::startsWith)) {
			throw new AssertionError("Logs by " + name + ", which is not looked at here");
		}
		return super.visitImport(node, none);
	}

	@Override
	public Void visitVariable(VariableTree node, Void none) {
		if (LOGS.contains(String.valueOf(node.getType())) && !node.getName().contentEquals("logger")) {
			throw new AssertionError("Only variables named logger are looked at here, not " + node);
		}
		if (node.getInitializer() != null) {
			this.variables.put(node.getName().toString(), text(node.getInitializer()));
		}
		return super.visitVariable(node, none);
	}

	@Override
	public Void visitClass(ClassTree node, Void none) {
		this.classes.push(node.getSimpleName().toString());
		super.visitClass(node, none);
		this.classes.pop();
		return null;
	}

	@Override
	public Void visitMethod(MethodTree node, Void none) {
		this.method = node.getName().toString();
		this.variables.clear();
		super.visitMethod(node, none);
		this.method = "";
		return null;
	}

	@Override
	public Void visitMethodInvocation(MethodInvocationTree node, Void none) {
		if (node.getMethodSelect() instanceof MemberSelectTree call) {
			String name = call.getIdentifier().toString();
			if (isLogger(call.getExpression()) && LEVELS.contains(name)) {
				logged(name, text(node.getArguments().get(0)));
			}
			else if (name.equals("add")) {
				made(node.getArguments().get(0));
			}
		}
		return super.visitMethodInvocation(node, none);
	}

	@Override
	public Void visitMemberReference(MemberReferenceTree node, Void none) {
		String name = node.getName().toString();
		if (isLogger(node.getQualifierExpression()) && LEVELS.contains(name)) {
			logged(name, "…");
		}
		return super.visitMemberReference(node, none);
	}

	@Override
	public Void visitReturn(ReturnTree node, Void none) {
		if (node.getExpression() != null) {
			made(node.getExpression());
		}
		return super.visitReturn(node, none);
	}

	private static boolean isLogger(ExpressionTree expression) {
		return expression.toString().equals("logger");
	}

	private void logged(String level, String text) {
		if (text.equals("…")) {
			this.levelsOfElsewhere.put(this.classes.getLast(), level);
		}
		else {
			this.levels.put(text, level);
		}
	}

	private void made(ExpressionTree expression) {
		String logs = MADE_ELSEWHERE.get(this.classes.getLast() + "." + this.method);
		String text = text(expression);
		if (logs != null && !text.equals("…")) {
			this.elsewhere.put(text, logs);
		}
	}

	private String text(ExpressionTree expression) {
		return parts(expression).replaceAll("%[a-z]", "…").replaceAll("…+", "…");
	}

	private String parts(ExpressionTree expression) {
		if (expression instanceof LiteralTree literal && literal.getValue() instanceof String text) {
			return text;
		}
		if (expression instanceof BinaryTree sum) {
			return parts(sum.getLeftOperand()) + parts(sum.getRightOperand());
		}
		if (expression instanceof MethodInvocationTree call
				&& call.getMethodSelect() instanceof MemberSelectTree select) {
			if (select.getIdentifier().contentEquals("formatted")) {
				return parts(select.getExpression());
			}
			if (select.toString().equals("String.format")) {
				return parts(call.getArguments().get(1));
			}
		}
		return this.variables.getOrDefault(expression.toString(), "…");
	}

}
