package io.lockstarter.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;

import io.lockstarter.testing.Programs;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * Headless Chromium, if this machine has one.
 */
public final class Browser implements AutoCloseable {

	private static final String PALE_TEXTS = """
			const channels = (color) => color.match(/[\\d.]+/g).map(Number);
			const luminance = (color) => channels(color).slice(0, 3).map((value) => value / 255)
				.map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
				.reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
			const background = (node) => {
				const color = getComputedStyle(node).backgroundColor;
				return channels(color)[3] === 0 ? background(node.parentElement) : color;
			};
			return [...document.querySelectorAll("body *")]
				.filter((node) => node.checkVisibility() && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
				.map((node) => [node, luminance(getComputedStyle(node).color), luminance(background(node))])
				.filter(([, one, other]) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 4.5)
				.map(([node]) => node.outerHTML);
			""";

	private static final Optional<Path> CHROMIUM = Programs.onPath("chromium", "chromium-browser", "google-chrome");

	private static final Optional<Path> DRIVER = Programs.onPath("chromedriver");

	private final ChromeDriver driver;

	private Browser(ChromeDriver driver) {
		this.driver = driver;
	}

	/** Returns the reason why no browser can be started here. */
	public static Optional<String> obstacle() {
		if (CHROMIUM.isPresent() && DRIVER.isPresent()) {
			return Optional.empty();
		}
		return Optional.of("there is no %s on the PATH".formatted(CHROMIUM.isPresent() ? "chromedriver" : "chromium"));
	}

	public static Browser start(Path profile) {
		ChromeOptions options = new ChromeOptions();
		options.setBinary(CHROMIUM.orElseThrow().toFile());
		options.addArguments("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
				"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
				"--disable-dev-shm-usage", "--user-data-dir=" + profile);
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.WARNING);
		options.setCapability("goog:loggingPrefs", logs);
		ChromeDriverService service = new ChromeDriverService.Builder()
			.usingDriverExecutable(DRIVER.orElseThrow().toFile())
			.usingAnyFreePort()
			.build();
		return new Browser(new ChromeDriver(service, options));
	}

	public void open(String address) {
		this.driver.get(address);
	}

	/** Runs a script. The caller has to know the type of the result. */
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals", "NullAway" })
	public <T> T run(String script, Object... arguments) {
		return (T) this.driver.executeScript(script, arguments);
	}

	public String text(String selector) {
		return run("return document.querySelector(arguments[0])?.textContent ?? ''", selector);
	}

	public WebElement find(String selector) {
		return this.driver.findElement(By.cssSelector(selector));
	}

	/** Moves the pointer to an element. */
	public void moveTo(String selector) {
		new Actions(this.driver).moveToElement(find(selector)).perform();
	}

	/** Presses a key in the element that has the focus. */
	public void press(CharSequence key) {
		this.driver.switchTo().activeElement().sendKeys(key);
	}

	public void size(int width, int height) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
	}

	public void prefer(String scheme, boolean reducedMotion) {
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia", Map
			.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme),
					Map.of("name", "prefers-reduced-motion", "value", reducedMotion ? "reduce" : "no-preference"))));
	}

	/** Returns the elements whose text has too little contrast to its background. */
	public List<String> paleTexts() {
		return run(PALE_TEXTS);
	}

	public void screenshot(Path file) {
		Object data = this.driver.executeCdpCommand("Page.captureScreenshot", Map.of("format", "png")).get("data");
		try {
			Files.write(file, Base64.getDecoder().decode(String.valueOf(data)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns the processor time of the page's main thread, in seconds. */
	@SuppressWarnings("unchecked")
	public double busySeconds() {
		this.driver.executeCdpCommand("Performance.enable", Map.of());
		Object metrics = this.driver.executeCdpCommand("Performance.getMetrics", Map.of()).get("metrics");
		return ((List<Map<String, Object>>) Objects.requireNonNull(metrics)).stream()
			.filter((metric) -> "TaskDuration".equals(metric.get("name")))
			.mapToDouble((metric) -> Double.parseDouble(String.valueOf(metric.get("value"))))
			.sum();
	}

	/** Returns the warnings of the browser, except those about unreachable servers. */
	public List<String> complaints() {
		return this.driver.manage()
			.logs()
			.get(LogType.BROWSER)
			.getAll()
			.stream()
			.map(LogEntry::toString)
			.filter((line) -> !line.contains("net::ERR_"))
			.toList();
	}

	@Override
	public void close() {
		this.driver.quit();
	}

}
