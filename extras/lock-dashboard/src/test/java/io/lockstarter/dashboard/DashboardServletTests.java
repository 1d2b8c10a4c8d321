package io.lockstarter.dashboard;

import java.io.IOException;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.mockito.Mockito.mock;

/**
 * Tests of {@link DashboardServlet}.
 */
class DashboardServletTests {

	/**
	 * The server would log the exception and count it as a failure of the application.
	 */
	@Test
	void toleratesClosedConnection() {
		Dashboard dashboard = new Dashboard("/distributed-locks", mock(), null, new LoginRule(false),
				() -> Access.READ_ONLY, mock());
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/distributed-locks/dashboard.js");
		request.setPathInfo("/dashboard.js");
		ClosedConnectionResponse response = new ClosedConnectionResponse();
		assertThatNoException().isThrownBy(() -> new DashboardServlet(dashboard).service(request, response));
		assertThat(response.tried).isTrue();
		assertThat(response.getStatus()).isEqualTo(200);
	}

	/**
	 * Response whose connection is closed.
	 */
	private static final class ClosedConnectionResponse extends MockHttpServletResponse {

		private boolean tried;

		@Override
		public ServletOutputStream getOutputStream() {
			return new ServletOutputStream() {

				@Override
				public void write(int b) throws IOException {
					ClosedConnectionResponse.this.tried = true;
					throw new IOException("Broken pipe");
				}

				@Override
				public boolean isReady() {
					return true;
				}

				@Override
				public void setWriteListener(WriteListener listener) {
				}

			};
		}

	}

}
