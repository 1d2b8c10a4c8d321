package io.lockstarter.autoconfigure;

import java.lang.reflect.Method;
import java.util.List;

import javax.sql.DataSource;

import io.lockstarter.fence.FenceSchema;
import io.lockstarter.fence.FencedDatabase;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ReflectionUtils;

/**
 * Choice of the database for fenced work, which is that of the transaction manager.
 */
final class FencedDatabases {

	private static final String PROPERTY = "distributed-lock.fence.transaction-manager";

	private final ListableBeanFactory beans;

	private final DistributedLockProperties.Fence properties;

	FencedDatabases(ListableBeanFactory beans, DistributedLockProperties.Fence properties) {
		this.beans = beans;
		this.properties = properties;
	}

	/**
	 * Chooses the database, and checks or creates its table.
	 * @param user the description of the fenced work, for messages
	 * @throws LockSetupException if there is no such database, more than one, or one
	 * without the table
	 */
	FencedDatabase prepare(String user) {
		FencedDatabase database = choose(user);
		String table = this.properties.table();
		FenceSchema.Missing missing = FenceSchema.prepare(database, table, isToCreate(database.dataSource()));
		if (missing != null) {
			throw new LockSetupException(
					"%s is fenced, but the database has no table %s that can be read (%s). This statement creates it:%n%n%s"
						.formatted(user, table, missing.cause().getMessage(), missing.statement()),
					"Run the statement, or set distributed-lock.fence.initialize-schema=always to run it at startup.");
		}
		return database;
	}

	private boolean isToCreate(DataSource dataSource) {
		return switch (this.properties.initializeSchema()) {
			case ALWAYS -> true;
			case EMBEDDED -> EmbeddedDatabaseConnection.isEmbedded(dataSource);
			case NEVER -> false;
		};
	}

	private FencedDatabase choose(String user) {
		String name = managerName(user);
		PlatformTransactionManager manager = this.beans.getBean(name, PlatformTransactionManager.class);
		DataSource dataSource = dataSource(manager);
		if (dataSource == null || !(manager instanceof ConfigurableTransactionManager configurable)) {
			throw new LockSetupException(
					"%s is fenced, but transactions of '%s' (%s) cannot be verified: they are not those of one JDBC DataSource."
						.formatted(user, name, manager.getClass().getName()),
					"Name the transaction manager of a DataSource by %s, or omit fenced and call io.lockstarter.fence.Fence."
						.formatted(PROPERTY));
		}
		return new FencedDatabase(dataSource, configurable);
	}

	private String managerName(String user) {
		List<String> names = List
			.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beans, PlatformTransactionManager.class));
		String wanted = this.properties.transactionManager();
		if (wanted != null && names.contains(wanted)) {
			return wanted;
		}
		if (wanted != null) {
			throw new LockSetupException(
					"%s is '%s', but there is no transaction manager of that name.".formatted(PROPERTY, wanted),
					names.isEmpty() ? "Define it as a bean." : "Name one of " + String.join(", ", names) + ".");
		}
		if (names.isEmpty()) {
			throw new LockSetupException(
					"%s is fenced, but there is no transaction manager whose transactions could be verified."
						.formatted(user),
					"Let Spring Boot configure a DataSource and its transaction manager (spring-boot-starter-jdbc or spring-boot-starter-data-jpa and spring.datasource.url), or omit fenced.");
		}
		if (names.size() > 1) {
			throw new LockSetupException(
					"%s is fenced, but there are several transaction managers: %s.".formatted(user,
							String.join(", ", names)),
					"Name the one whose transactions are to be verified by %s. Others are not.".formatted(PROPERTY));
		}
		return names.get(0);
	}

	private static @Nullable DataSource dataSource(PlatformTransactionManager manager) {
		if (manager instanceof ResourceTransactionManager resources
				&& resources.getResourceFactory() instanceof DataSource dataSource) {
			return dataSource;
		}
		// JPA's and Hibernate's transaction managers are called by reflection, because
		// applications with only JDBC do not have them.
		Method method = ReflectionUtils.findMethod(manager.getClass(), "getDataSource");
		return (method != null && ReflectionUtils.invokeMethod(method, manager) instanceof DataSource dataSource)
				? dataSource : null;
	}

}
