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
 * Answers the requests of the page, to those whom the endpoint of locks would answer.
 */
final class Dashboard {

	/**
	 * A header that no other site can make a browser send. The page sends it with every
	 * write.
	 */
	static final String WRITE_HEADER = "X-Lock-Dashboard";

	private final String path;

	private final DashboardFiles files = new DashboardFiles();

	private final DashboardData data;

	private final @Nullable ForceReleaseOperation releases;

	private final LoginRule login;

	private final Supplier<Access> access;

	private final EndpointJsonMapper mapper;

	/**
	 * Answer requests.
	 * @param path where the page is
	 * @param releases takes locks away, if a property has enabled that
	 * @param access what the endpoint of locks allows
	 */
	Dashboard(String path, DashboardData data, @Nullable ForceReleaseOperation releases, LoginRule login,
			Supplier<Access> access, EndpointJsonMapper mapper) {
		this.path = path;
		this.data = data;
		this.releases = releases;
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

	/** Answer a request, for which the backend of locks may be waited for. */
	DashboardResponse answer(DashboardRequest request) {
		if (!isServed()) {
			return DashboardResponse.text(404, "management.endpoint.locks.access does not allow this page.");
		}
		if (this.login.isBrokenBy(request.viewer().getPrincipal())) {
			return DashboardResponse.text(403, "Log in to see locks: where Spring Security is on the class path,"
					+ " this page is shown to nobody who has not.");
		}
		try {
			return switch (request.method()) {
				case "GET", "HEAD" -> read(request);
				case "DELETE" -> request.path().equals("/api/lock") ? release(request) : notFound();
				default -> DashboardResponse.text(405, "This page is read by GET.");
			};
		}
		catch (InvalidEndpointRequestException ex) {
			return DashboardResponse.text(400, String.valueOf(ex.getReason()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return DashboardResponse.text(503, "The application ends.");
		}
	}

	private DashboardResponse read(DashboardRequest request) throws InterruptedException {
		String registry = request.parameters().apply("registry");
		return switch (request.path()) {
			// Relative, so that it holds behind whatever proxy
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
		return this.releases != null && this.access.get() == Access.UNRESTRICTED;
	}

	private DashboardResponse release(DashboardRequest request) {
		String site = request.headers().apply("Sec-Fetch-Site");
		if (request.headers().apply(WRITE_HEADER) == null || (site != null && !site.equals("same-origin"))) {
			return DashboardResponse.text(403, "Only the page itself may ask for this.");
		}
		ForceReleaseOperation operation = isReleaseAllowed() ? this.releases : null;
		if (operation == null) {
			return DashboardResponse.text(403, "No lock can be taken away here: that needs"
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
		return DashboardResponse.text(404, "There is no such page.");
	}

	private DashboardResponse json(int status, Object body) {
		return DashboardResponse.json(status, this.mapper.get().writeValueAsString(body));
	}

}
