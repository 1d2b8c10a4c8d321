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

class DashboardServletTests {

	/** It would be logged, and counted among the failures of the application. */
	@Test
	void takesAViewerWhoLeavesForNoFailure() {
		Dashboard dashboard = new Dashboard("/distributed-locks", mock(), null, new LoginRule(false),
				() -> Access.READ_ONLY, mock());
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/distributed-locks/dashboard.js");
		request.setPathInfo("/dashboard.js");
		GoneViewer response = new GoneViewer();
		assertThatNoException().isThrownBy(() -> new DashboardServlet(dashboard).service(request, response));
		assertThat(response.tried).isTrue();
		assertThat(response.getStatus()).isEqualTo(200);
	}

	/**
	 * The response to one whose connection has broken.
	 */
	private static final class GoneViewer extends MockHttpServletResponse {

		private boolean tried;

		@Override
		public ServletOutputStream getOutputStream() {
			return new ServletOutputStream() {

				@Override
				public void write(int b) throws IOException {
					GoneViewer.this.tried = true;
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
