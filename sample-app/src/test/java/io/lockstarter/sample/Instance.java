package io.lockstarter.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.ResponseEntity;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.client.RestClient;

import static org.awaitility.Awaitility.await;

/**
 * One instance of the box office, asked over HTTP.
 */
final class Instance implements AutoCloseable {

	private static final ParameterizedTypeReference<Map<String, Object>> JSON = new ParameterizedTypeReference<>() {
	};

	private final ConfigurableApplicationContext context;

	private final String address;

	private final RestClient http;

	private Instance(ConfigurableApplicationContext context) {
		this.context = context;
		this.address = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
		this.http = RestClient.builder()
			.baseUrl(this.address)
			.defaultStatusHandler((status) -> true, (request, response) -> {
			})
			.build();
	}

	static Instance start(String name, int redisPort, Path directory, String... properties) {
		return new Instance(new SpringApplicationBuilder(SampleApplication.class)
			.run(arguments(name, 0, redisPort, directory, properties)));
	}

	/**
	 * Start an instance in a process of its own, which can be killed.
	 */
	static Process launch(String name, int port, int redisPort, Path directory, String... properties)
			throws IOException {
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), SampleApplication.class.getName()));
		Collections.addAll(command, arguments(name, port, redisPort, directory, properties));
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
	}

	/** The properties take the place of those that they name: two values make a list. */
	private static String[] arguments(String name, int port, int redisPort, Path directory, String... properties) {
		Map<String, String> arguments = new LinkedHashMap<>();
		Stream
			.concat(Stream.of("--server.port=" + port, "--sample.instance=" + name, "--sample.redis.port=" + redisPort,
					"--sample.directory=" + directory, "--sample.paperwork=300ms", "--sample.settlement.cron=-"),
					Stream.of(properties))
			.forEach((argument) -> arguments.put(argument.substring(0, argument.indexOf('=')), argument));
		return arguments.values().toArray(String[]::new);
	}

	static void post(String address) {
		RestClient.create().post().uri(address).retrieve().toBodilessEntity();
	}

	/**
	 * Wait until so many instances take part in experiments: each hears of calls some
	 * time after its start.
	 */
	void awaitParticipants(long instances) {
		StringRedisTemplate redis = bean(StringRedisTemplate.class);
		await().atMost(30, TimeUnit.SECONDS)
			.until(() -> redis.convertAndSend("sample:experiments:calls", "nobody"), Long.valueOf(instances)::equals);
	}

	String address() {
		return this.address;
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/**
	 * Hear all events of the application from now on.
	 */
	void hear(ApplicationListener<ApplicationEvent> listener) {
		this.context.addApplicationListener(listener);
	}

	Map<String, Object> delete(String path) {
		return this.http.delete().uri(path).retrieve().body(JSON);
	}

	Map<String, Object> get(String path) {
		return this.http.get().uri(path).retrieve().body(JSON);
	}

	String text(String path) {
		return this.http.get().uri(path).retrieve().body(String.class);
	}

	/** Returns how many entries a list of an answer has. */
	int count(String path, String list) {
		return ((List<?>) get(path).get(list)).size();
	}

	@SuppressWarnings("unchecked")
	List<Map<String, Object>> overview(String part) {
		return (List<Map<String, Object>>) get("/box-office").get(part);
	}

	ResponseEntity<String> post(String path, Map<String, String> parameters, Object... variables) {
		MultiValueMap<String, String> form = new LinkedMultiValueMap<>();
		parameters.forEach(form::add);
		return this.http.post().uri(path, variables).body(form).retrieve().toEntity(String.class);
	}

	CompletableFuture<ResponseEntity<String>> postLater(String path, Map<String, String> parameters) {
		return later(() -> post(path, parameters));
	}

	static <T> CompletableFuture<T> later(Supplier<T> call) {
		CompletableFuture<T> result = new CompletableFuture<>();
		new Thread(() -> {
			try {
				result.complete(call.get());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		}).start();
		return result;
	}

	@Override
	public void close() {
		this.context.close();
	}

}
