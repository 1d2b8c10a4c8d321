package io.lockstarter.dashboard;

import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import io.lockstarter.actuate.ForceReleaseOperation;
import io.lockstarter.actuate.ForceReleaseOperation.ForceReleaseDescriptor;
import io.lockstarter.core.LockBackendException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.jackson.EndpointJsonMapper;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Handler of the page's requests, which grants the same access as the endpoint
 * {@code locks}.
 */
final class Dashboard {

	/**
	 * Header that the page sends with every write. A page of another site cannot make a
	 * browser send it.
	 */
	static final String WRITE_HEADER = "X-Lock-Dashboard";

	private final String path;

	private final DashboardFiles files = new DashboardFiles();

	private final DashboardData data;

	private final @Nullable ForceReleaseOperation forceRelease;

	private final LoginRule login;

	private final Supplier<Access> access;

	private final EndpointJsonMapper mapper;

	/**
	 * Creates a handler.
	 * @param path the path of the page
	 * @param forceRelease force-releases locks, or {@code null} if no property enables
	 * this operation
	 * @param access the access that the endpoint {@code locks} allows
	 */
	Dashboard(String path, DashboardData data, @Nullable ForceReleaseOperation forceRelease, LoginRule login,
			Supplier<Access> access, EndpointJsonMapper mapper) {
		this.path = path;
		this.data = data;
		this.forceRelease = forceRelease;
		this.login = login;
		this.access = access;
		this.mapper = mapper;
	}

	String path() {
		return this.path;
	}

	boolean isServed() {
		return this.access.get() != Access.NONE;
	}

	boolean requiresLogin() {
		return this.login.required();
	}

	/** Handles a request. Blocks if the backend has to be inspected first. */
	DashboardResponse handle(DashboardRequest request) {
		if (!isServed()) {
			return DashboardResponse.text(404, "This page is disabled by management.endpoint.locks.access.");
		}
		if (this.login.isViolatedBy(request.viewer().getPrincipal())) {
			return DashboardResponse.text(403,
					"Log in to see this page: it requires a login because Spring Security" + " is on the class path.");
		}
		try {
			return switch (request.method()) {
				case "GET", "HEAD" -> read(request);
				case "DELETE" -> request.path().equals("/api/lock") ? release(request) : notFound();
				default -> DashboardResponse.text(405, "Use GET to read this page.");
			};
		}
		catch (InvalidEndpointRequestException ex) {
			return DashboardResponse.text(400, String.valueOf(ex.getReason()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return DashboardResponse.text(503, "The application is shutting down.");
		}
	}

	private DashboardResponse read(DashboardRequest request) throws InterruptedException {
		String registry = request.parameters().apply("registry");
		return switch (request.path()) {
			// A relative location is valid behind any proxy
			case "" -> DashboardResponse.redirect(this.path.substring(this.path.lastIndexOf('/') + 1) + "/");
			case "/api/view" -> json(200,
					this.data.view(request.viewer(), registry, ViewQuery.of(request.parameters()), isReleaseAllowed()));
			case "/api/lock" -> lock(request, registry);
			case DashboardRequest.CSRF_PATH -> {
				DashboardRequest.Csrf csrf = request.csrf().get();
				yield json(200, (csrf != null) ? csrf : Map.of());
			}
			default -> {
				DashboardResponse file = this.files.find(request.path(), request.headers().apply("If-None-Match"));
				yield (file != null) ? file : notFound();
			}
		};
	}

	private DashboardResponse lock(DashboardRequest request, @Nullable String registry) throws InterruptedException {
		String key = request.parameters().apply("key");
		return (key != null) ? json(200, this.data.lock(request.viewer(), registry, key))
				: DashboardResponse.text(400, "The parameter 'key' is missing.");
	}

	private boolean isReleaseAllowed() {
		return this.forceRelease != null && this.access.get() == Access.UNRESTRICTED;
	}

	private DashboardResponse release(DashboardRequest request) {
		String site = request.headers().apply("Sec-Fetch-Site");
		if (request.headers().apply(WRITE_HEADER) == null || (site != null && !site.equals("same-origin"))) {
			return DashboardResponse.text(403, "Only the page itself may send this request.");
		}
		ForceReleaseOperation operation = isReleaseAllowed() ? this.forceRelease : null;
		if (operation == null) {
			return DashboardResponse.text(403, "Force-releasing locks is disabled. To enable it, set"
					+ " distributed-lock.endpoint.force-release=true and management.endpoint.locks.access=unrestricted.");
		}
		String name = request.parameters().apply("name");
		if (name == null) {
			return DashboardResponse.text(400, "The parameter 'name' is missing.");
		}
		try {
			WebEndpointResponse<ForceReleaseDescriptor> response = operation.release(request.viewer(), name,
					this.data.registry(request.parameters().apply("registry")));
			return json(response.getStatus(), Objects.requireNonNull(response.getBody()));
		}
		catch (LockBackendException ex) {
			return DashboardResponse.text(503, String.valueOf(ex.getMessage()));
		}
	}

	private static DashboardResponse notFound() {
		return DashboardResponse.text(404, "This page does not exist.");
	}

	private DashboardResponse json(int status, Object body) {
		return DashboardResponse.json(status, this.mapper.get().writeValueAsString(body));
	}

}
