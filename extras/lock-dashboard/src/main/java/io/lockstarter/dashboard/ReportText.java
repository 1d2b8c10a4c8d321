package io.lockstarter.dashboard;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterOutputStream;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Conversion of reports to and from the texts of messages. The texts are compressed
 * because names and owners repeat.
 */
final class ReportText {

	private static final JsonMapper MAPPER = JsonMapper.shared();

	private ReportText() {
	}

	static String of(InstanceReport report) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		Deflater deflater = new Deflater(Deflater.BEST_SPEED);
		try (DeflaterOutputStream output = new DeflaterOutputStream(bytes, deflater)) {
			output.write(MAPPER.writeValueAsBytes(report));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			deflater.end();
		}
		return Base64.getEncoder().encodeToString(bytes.toByteArray());
	}

	/**
	 * Returns the report that a text contains.
	 * @throws IllegalArgumentException if the text is no report in the format of this
	 * version
	 */
	static InstanceReport parse(String text) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (InflaterOutputStream output = new InflaterOutputStream(bytes)) {
			output.write(Base64.getDecoder().decode(text));
			output.finish();
			return MAPPER.readValue(bytes.toByteArray(), InstanceReport.class);
		}
		catch (IOException | JacksonException ex) {
			throw new IllegalArgumentException("Not a report of this version", ex);
		}
	}

}
