package io.lockstarter.dashboard;

import java.security.Principal;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;

/**
 * WebFlux handler that serves the page.
 */
final class DashboardWebHandler implements WebHandler {

	private final Dashboard dashboard;

	DashboardWebHandler(Dashboard dashboard) {
		this.dashboard = dashboard;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange) {
		return Mono.zip(viewer(exchange), csrf(exchange))
			.map((both) -> request(exchange, both.getT1(), both.getT2().orElse(null)))
			// The dashboard may block until the backend has replied
			.publishOn(Schedulers.boundedElastic())
			.map(this.dashboard::handle)
			.flatMap((result) -> write(exchange.getResponse(), result));
	}

	private DashboardRequest request(ServerWebExchange exchange, SecurityContext viewer,
			DashboardRequest.@Nullable Csrf csrf) {
		ServerHttpRequest request = exchange.getRequest();
		return new DashboardRequest(request.getMethod().name(), path(exchange), request.getQueryParams()::getFirst,
				request.getHeaders()::getFirst, viewer, () -> csrf);
	}

	private String path(ServerWebExchange exchange) {
		return exchange.getRequest()
			.getPath()
			.pathWithinApplication()
			.value()
			.substring(this.dashboard.path().length());
	}

	private static Mono<SecurityContext> viewer(ServerWebExchange exchange) {
		return exchange.getPrincipal().<SecurityContext>map(Viewer::new).defaultIfEmpty(SecurityContext.NONE);
	}

	/**
	 * Returns the token only at its own path, because creating it may start a session.
	 */
	private Mono<Optional<DashboardRequest.Csrf>> csrf(ServerWebExchange exchange) {
		boolean requested = path(exchange).equals(DashboardRequest.CSRF_PATH);
		return (requested && exchange.getAttribute(SpringSecurity.CSRF) instanceof Mono<?> token)
				? token.map(SpringSecurity::csrf).defaultIfEmpty(Optional.empty()) : Mono.just(Optional.empty());
	}

	private static Mono<Void> write(ServerHttpResponse response, DashboardResponse result) {
		response.setStatusCode(HttpStatusCode.valueOf(result.status()));
		result.headers().forEach(response.getHeaders()::set);
		byte[] body = result.bytes();
		if (body.length == 0) {
			return response.setComplete();
		}
		response.getHeaders().setContentLength(body.length);
		return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
	}

	/**
	 * User who sent a request.
	 */
	private record Viewer(Principal principal) implements SecurityContext {

		@Override
		public Principal getPrincipal() {
			return this.principal;
		}

		@Override
		public boolean isUserInRole(String role) {
			return SpringSecurity.hasRole(this.principal, role);
		}

	}

	/** Code that is loaded only if a request has a principal or a token. */
	private static final class SpringSecurity {

		private static final String CSRF = "org.springframework.security.web.server.csrf.CsrfToken";

		private static Optional<DashboardRequest.Csrf> csrf(Object attribute) {
			return (attribute instanceof CsrfToken token)
					? Optional.of(new DashboardRequest.Csrf(token.getHeaderName(), token.getToken()))
					: Optional.empty();
		}

		private static boolean hasRole(Principal principal, String role) {
			return principal instanceof Authentication authentication && authentication.getAuthorities()
				.stream()
				.anyMatch((authority) -> ("ROLE_" + role).equals(authority.getAuthority()));
		}

	}

}
