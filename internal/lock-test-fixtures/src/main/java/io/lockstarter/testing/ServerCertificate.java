package io.lockstarter.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Key of a server with its self-signed certificate.
 *
 * @param key the private key, in PEM
 * @param certificate the certificate, in PEM
 * @param trustStore a PKCS#12 store that contains only the certificate
 */
public record ServerCertificate(Path key, Path certificate, Path trustStore) {

	/** Subject for the address of test servers. */
	public static final String LOCAL = "ip:127.0.0.1";

	/** Password of the trust store. */
	public static final String PASSWORD = "changeit";

	private static final String ALIAS = "server";

	private static final String KEY_STORE = "server.p12";

	private static final Map<String, ServerCertificate> SHARED = new ConcurrentHashMap<>();

	/**
	 * Creates a certificate for one address with the tool of the running JDK.
	 * @param folder the folder of the files
	 * @param subject the address, such as {@value #LOCAL}
	 */
	public static ServerCertificate create(Path folder, String subject) {
		try {
			Files.createDirectories(folder);
			Path keyStore = folder.resolve(KEY_STORE);
			generate(keyStore, subject);
			KeyStore generated = KeyStore.getInstance("PKCS12");
			try (InputStream in = Files.newInputStream(keyStore)) {
				generated.load(in, PASSWORD.toCharArray());
			}
			Certificate certificate = generated.getCertificate(ALIAS);
			return new ServerCertificate(
					pem(folder.resolve("server.key"), "PRIVATE KEY",
							generated.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()),
					pem(folder.resolve("server.crt"), "CERTIFICATE", certificate.getEncoded()),
					trustStore(folder.resolve("trust.p12"), certificate));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns the certificate for a subject, which all tests of this JVM share.
	 * @param subject the address, such as {@value #LOCAL}
	 */
	public static ServerCertificate shared(String subject) {
		return SHARED.computeIfAbsent(subject, (key) -> {
			try {
				Path folder = Files.createTempDirectory("lock-test-certificate");
				folder.toFile().deleteOnExit();
				ServerCertificate certificate = create(folder, key);
				Stream
					.of(certificate.key(), certificate.certificate(), certificate.trustStore(),
							folder.resolve(KEY_STORE))
					.forEach((file) -> file.toFile().deleteOnExit());
				return certificate;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
	}

	private static void generate(Path keyStore, String subject) throws IOException {
		String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
		Process process = new ProcessBuilder(List.of(keytool, "-genkeypair", "-alias", ALIAS, "-keyalg", "EC",
				"-groupname", "secp256r1", "-dname", "CN=test", "-ext", "san=" + subject, "-validity", "2",
				"-storetype", "PKCS12", "-keystore", keyStore.toString(), "-storepass", PASSWORD))
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (!Files.exists(keyStore)) {
			throw new IllegalStateException("keytool made no key: " + output);
		}
	}

	private static Path pem(Path file, String type, byte[] content) throws IOException {
		String text = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content);
		return Files.writeString(file, "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(type, text));
	}

	private static Path trustStore(Path file, Certificate certificate) throws IOException, GeneralSecurityException {
		KeyStore trusted = KeyStore.getInstance("PKCS12");
		trusted.load(null, null);
		trusted.setCertificateEntry(ALIAS, certificate);
		try (var out = Files.newOutputStream(file)) {
			trusted.store(out, PASSWORD.toCharArray());
		}
		return file;
	}

}
