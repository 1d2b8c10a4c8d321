package io.lockstarter.aop;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link WeakIdentities}.
 */
class WeakIdentitiesTests {

	private final WeakIdentities<String> identities = new WeakIdentities<>();

	@Test
	void tellsEqualObjectsApart() {
		Equal one = new Equal(1);
		Equal two = new Equal(1);
		this.identities.put(one, "one");
		assertThat(this.identities.get(one)).isEqualTo("one");
		assertThat(this.identities.get(two)).isNull();
		this.identities.put(two, "two");
		assertThat(this.identities.get(one)).isEqualTo("one");
		assertThat(this.identities.get(two)).isEqualTo("two");
		this.identities.put(one, "other");
		assertThat(this.identities.get(one)).isEqualTo("other");
		assertThat(this.identities.size()).isEqualTo(2);
	}

	@Test
	void forgetsObjectsThatAreGone() {
		IntStream.range(0, 100).forEach((i) -> this.identities.put(new Equal(i), "gone"));
		Equal kept = new Equal(-1);
		await().until(() -> {
			System.gc();
			this.identities.put(kept, "kept");
			return this.identities.size() == 1;
		});
		assertThat(this.identities.get(kept)).isEqualTo("kept");
	}

	/**
	 * An object that equals others.
	 */
	private record Equal(int value) {
	}

}
