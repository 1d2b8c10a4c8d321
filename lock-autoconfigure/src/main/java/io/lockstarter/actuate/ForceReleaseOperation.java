package io.lockstarter.actuate;

import java.security.Principal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.OneLine;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Operation of the endpoint that force-releases a lock. It publishes an audit event, even
 * if the release failed and its outcome is unknown.
 *
 * @see LockMonitor#forceRelease(String)
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
public final class ForceReleaseOperation {

	/**
	 * Type of the audit events.
	 */
	public static final String AUDIT_TYPE = "LOCK_FORCE_RELEASED";

	/**
	 * Type of the audit events of requests that failed, and that may have released some
	 * of the holders.
	 */
	public static final String FAILURE_AUDIT_TYPE = "LOCK_FORCE_RELEASE_FAILED";

	private static final String NOBODY = "anonymous";

	private static final Log logger = LogFactory.getLog(ForceReleaseOperation.class);

	private final MonitorChoice monitors;

	private final ApplicationEventPublisher publisher;

	/**
	 * Creates the operation for one registry.
	 * @param monitor the monitor that force-releases locks
	 * @param publisher the publisher of audit events
	 */
	public ForceReleaseOperation(LockMonitor monitor, ApplicationEventPublisher publisher) {
		this(monitor, Map.of(), publisher);
	}

	/**
	 * Creates the operation for several registries.
	 * @param monitor the monitor of the default registry
	 * @param registries the monitors of all registries by name; empty if there is only
	 * one
	 * @param publisher the publisher of audit events
	 */
	public ForceReleaseOperation(LockMonitor monitor, Map<String, LockMonitor> registries,
			ApplicationEventPublisher publisher) {
		this.monitors = new MonitorChoice(monitor, registries);
		this.publisher = publisher;
	}

	/**
	 * Force-releases a lock.
	 * @param context the security context of the request
	 * @param path the lock's name, split at slashes
	 * @param registry the name of the registry, required if there are several
	 * @return the released holders; not found if the lock was not held
	 */
	@DeleteOperation
	public WebEndpointResponse<ForceReleaseDescriptor> release(SecurityContext context,
			@Selector(match = Match.ALL_REMAINING) String[] path, @Nullable String registry) {
		return release(context, String.join("/", path), registry);
	}

	/**
	 * Force-releases a lock whose name cannot be a path.
	 * @param context the security context of the request
	 * @param name the lock's name
	 * @param registry the name of the registry, required if there are several
	 * @return the released holders; not found if the lock was not held
	 */
	@DeleteOperation
	public WebEndpointResponse<ForceReleaseDescriptor> release(SecurityContext context, String name,
			@Nullable String registry) {
		Principal user = context.getPrincipal();
		String principal = (user != null) ? user.getName() : NOBODY;
		Target target = new Target(this.monitors.of(registry), name, registry);
		List<FormerHolderDescriptor> released = forceRelease(target, principal).stream()
			.map(FormerHolderDescriptor::of)
			.toList();
		audit(principal, target, released);
		int status = released.isEmpty() ? WebEndpointResponse.STATUS_NOT_FOUND : WebEndpointResponse.STATUS_OK;
		return new WebEndpointResponse<>(new ForceReleaseDescriptor(name, released), status);
	}

	private List<Holder> forceRelease(Target target, String principal) {
		try {
			return target.monitor().forceRelease(target.name());
		}
		catch (RuntimeException ex) {
			logger.warn("%s may or may not have been force-released at the request of %s: %s".formatted(target,
					OneLine.of(principal), OneLine.of(ex.toString())));
			this.publisher.publishEvent(
					new AuditApplicationEvent(principal, FAILURE_AUDIT_TYPE, target.audited("failure", ex.toString())));
			throw ex;
		}
	}

	private void audit(String principal, Target target, List<FormerHolderDescriptor> released) {
		List<String> owners = released.stream().map(FormerHolderDescriptor::owner).toList();
		logger.warn("%s was force-released from %s at the request of %s".formatted(target,
				owners.isEmpty() ? "no holder" : OneLine.of(String.join(", ", owners)), OneLine.of(principal)));
		this.publisher
			.publishEvent(new AuditApplicationEvent(principal, AUDIT_TYPE, target.audited("released", owners)));
	}

	/**
	 * Lock to force-release.
	 *
	 * @param monitor the monitor of the registry
	 * @param name the lock's name
	 * @param registry the name of the registry, or {@code null} if there is only one
	 */
	private record Target(LockMonitor monitor, String name, @Nullable String registry) {

		private Map<String, @Nullable Object> audited(String key, Object value) {
			Map<String, @Nullable Object> data = new HashMap<>();
			data.put("lock", this.name);
			data.put(key, value);
			if (this.registry != null) {
				data.put("registry", this.registry);
			}
			return data;
		}

		@Override
		public String toString() {
			String lock = "Lock '%s'".formatted(OneLine.of(this.name));
			return (this.registry != null) ? "%s of registry '%s'".formatted(lock, this.registry) : lock;
		}

	}

	/**
	 * Holders whose locks were force-released.
	 *
	 * @param name the lock's name
	 * @param released all former holders
	 */
	public record ForceReleaseDescriptor(String name,
			List<FormerHolderDescriptor> released) implements OperationResponseBody {
	}

	/**
	 * Former holder of a lock.
	 *
	 * @param owner the instance and the owner
	 * @param heldForMillis the time for which the lock had been held, in milliseconds
	 * @param remainingLeaseMillis the remaining time of the lease, in milliseconds
	 */
	public record FormerHolderDescriptor(String owner, long heldForMillis, long remainingLeaseMillis) {

		private static FormerHolderDescriptor of(Holder holder) {
			return new FormerHolderDescriptor(holder.label(), holder.heldFor().toMillis(),
					holder.remainingLease().toMillis());
		}

	}

}
