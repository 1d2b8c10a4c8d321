package io.lockstarter.dashboard;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.security.concurrent.DelegatingSecurityContextRunnable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;

/**
 * The page as a servlet.
 */
final class DashboardServlet extends HttpServlet {

	private static final long serialVersionUID = 1L;

	private static final boolean SECURED = ClassUtils.isPresent(
			"org.springframework.security.concurrent.DelegatingSecurityContextRunnable",
			DashboardServlet.class.getClassLoader());

	private static final Log logger = LogFactory.getLog(DashboardServlet.class);

	private final transient Dashboard dashboard;

	private final transient EventStreams streams;

	DashboardServlet(Dashboard dashboard, EventStreams streams) {
		this.dashboard = dashboard;
		this.streams = streams;
	}

	@Override
	protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
		DashboardResponse answer = this.dashboard
			.answer(new DashboardRequest(request.getMethod(), Objects.requireNonNullElse(request.getPathInfo(), ""),
					request::getParameter, request::getHeader, new Viewer(request), () -> csrf(request)));
		if (answer.events() == null) {
			write(response, answer);
		}
		else if (!request.isAsyncSupported()) {
			write(response, DashboardResponse.noEvents());
		}
		else {
			begin(request, response, answer, answer.events());
		}
	}

	private static void write(HttpServletResponse response, DashboardResponse answer) throws IOException {
		writeHead(response, answer);
		byte[] body = answer.bytes();
		response.setContentLength(body.length);
		response.getOutputStream().write(body);
	}

	private static void writeHead(HttpServletResponse response, DashboardResponse answer) {
		response.setStatus(answer.status());
		answer.headers().forEach(response::setHeader);
	}

	private void begin(HttpServletRequest request, HttpServletResponse response, DashboardResponse answer,
			EventStream events) throws IOException {
		AsyncContext context = request.startAsync();
		context.setTimeout(EventStream.LENGTH.multipliedBy(2).toMillis());
		CountDownLatch headSent = new CountDownLatch(1);
		Runnable stream = () -> send(events, context, response, headSent);
		if (this.streams.begin(SECURED ? SpringSecurity.inTheNameOfTheViewer(stream) : stream) == null) {
			write(response, DashboardResponse.noEvents());
			context.complete();
			return;
		}
		try {
			// By this thread: it goes back through filters that may change the response
			writeHead(response, answer);
			response.flushBuffer();
		}
		finally {
			headSent.countDown();
		}
	}

	private static void send(EventStream events, AsyncContext context, HttpServletResponse response,
			CountDownLatch headSent) {
		try {
			headSent.await();
			ServletOutputStream output = response.getOutputStream();
			events.send((event) -> {
				output.write(event.getBytes(StandardCharsets.UTF_8));
				output.flush();
			});
		}
		catch (IOException ex) {
			logger.debug("A viewer of the dashboard has left", ex);
		}
		catch (InterruptedException ex) {
			// The application ends
			Thread.currentThread().interrupt();
		}
		finally {
			complete(context);
		}
	}

	private static void complete(AsyncContext context) {
		try {
			context.complete();
		}
		catch (IllegalStateException ex) {
			logger.debug("The container has ended a stream of the dashboard before", ex);
		}
	}

	private static DashboardRequest.@Nullable Csrf csrf(HttpServletRequest request) {
		Object attribute = request.getAttribute("_csrf");
		return (attribute != null) ? SpringSecurity.csrf(attribute) : null;
	}

	/**
	 * Whoever sent a request.
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

	/** Loaded only if Spring Security is there. */
	private static final class SpringSecurity {

		/** It tells the request by its thread who the viewer is. */
		private static Runnable inTheNameOfTheViewer(Runnable task) {
			return new DelegatingSecurityContextRunnable(task);
		}

		private static DashboardRequest.@Nullable Csrf csrf(Object attribute) {
			return (attribute instanceof CsrfToken token)
					? new DashboardRequest.Csrf(token.getHeaderName(), token.getToken()) : null;
		}

	}

}
