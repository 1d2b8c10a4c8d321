package io.lockstarter.redis.quorum;

import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * Trust and key material of TLS connections.
 *
 * @param keys the client's own certificates
 * @param trusted the authorities that sign the servers' certificates
 * @param protocols the versions of TLS to offer; none for the JDK's choice
 * @param ciphers the cipher suites to offer; none for the JDK's choice
 */
public record TlsOptions(KeyManagerFactory keys, TrustManagerFactory trusted, List<String> protocols,
		List<String> ciphers) {

	public TlsOptions {
		protocols = List.copyOf(protocols);
		ciphers = List.copyOf(ciphers);
	}

}
