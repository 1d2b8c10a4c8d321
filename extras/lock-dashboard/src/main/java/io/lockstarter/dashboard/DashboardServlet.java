package io.lockstarter.dashboard;

import java.io.IOException;
import java.security.Principal;
import java.util.Objects;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.security.web.csrf.CsrfToken;

/**
 * Servlet that serves the page.
 */
final class DashboardServlet extends HttpServlet {

	private static final long serialVersionUID = 1L;

	private static final Log logger = LogFactory.getLog(DashboardServlet.class);

	private final transient Dashboard dashboard;

	DashboardServlet(Dashboard dashboard) {
		this.dashboard = dashboard;
	}

	@Override
	protected void service(HttpServletRequest request, HttpServletResponse response) {
		DashboardResponse result = this.dashboard
			.handle(new DashboardRequest(request.getMethod(), Objects.requireNonNullElse(request.getPathInfo(), ""),
					request::getParameter, request::getHeader, new Viewer(request), () -> csrf(request)));
		response.setStatus(result.status());
		result.headers().forEach(response::setHeader);
		byte[] body = result.bytes();
		if (result.status() != HttpServletResponse.SC_NOT_MODIFIED) {
			response.setContentLength(body.length);
		}
		try {
			response.getOutputStream().write(body);
			response.flushBuffer();
		}
		catch (IOException ex) {
			// A closed connection is not a failure of the application
			logger.debug("A browser closed its connection before it had received the dashboard", ex);
		}
	}

	private static DashboardRequest.@Nullable Csrf csrf(HttpServletRequest request) {
		Object attribute = request.getAttribute("_csrf");
		return (attribute != null) ? SpringSecurity.csrf(attribute) : null;
	}

	/**
	 * User who sent a request.
	 */
	private record Viewer(HttpServletRequest request) implements SecurityContext {

		@Override
		public @Nullable Principal getPrincipal() {
			return this.request.getUserPrincipal();
		}

		@Override
		public boolean isUserInRole(String role) {
			return this.request.isUserInRole(role);
		}

	}

	/** Code that is loaded only if Spring Security is on the class path. */
	private static final class SpringSecurity {

		private static DashboardRequest.@Nullable Csrf csrf(Object attribute) {
			return (attribute instanceof CsrfToken token)
					? new DashboardRequest.Csrf(token.getHeaderName(), token.getToken()) : null;
		}

	}

}
