const PERIOD_MILLIS = 1000;

/** The events that the server sends every second are missed after this time. */
const QUIET_MILLIS = 1500;

/** A source of data that is asked again and again while no events come, if the page is seen, and never otherwise. */
export class Source {
	#path;
	#timeoutMillis;
	#timer;
	#asking = false;
	#eventAt = -Infinity;
	#query = "";

	/** The latest answer, with when it was asked for and when it came. */
	data = null;
	askedAt = null;
	receivedAt = null;
	receivedOn = null;

	/** Since when an answer has been waited for, if one is. */
	pendingSince = null;

	/** When the page began to ask, or to ask again after it had been out of sight. */
	startedAt = null;

	/** The latest answer that told of locks. */
	lastGood = null;

	/** Why there was no answer the last time: "cut off", or "signed out". */
	failure = null;

	constructor(path, timeoutMillis, changed) {
		this.#path = path;
		this.#timeoutMillis = timeoutMillis;
		this.changed = changed;
	}

	/** Starts asking, at once. */
	start() {
		this.startedAt = performance.now();
		clearTimeout(this.#timer);
		if (!this.#asking) {
			this.#ask();
		}
	}

	/** Asks for something else from now on, and forgets what was answered before. */
	reset(query) {
		this.#query = query;
		this.#eventAt = -Infinity;
		this.data = this.askedAt = this.receivedAt = this.receivedOn = this.lastGood = this.failure = null;
		this.start();
	}

	/** Takes what the server has sent without being asked, with when it was made. */
	hear(data, madeAt) {
		if (this.#keep(data, madeAt)) {
			this.changed();
		}
	}

	/** Asks for nothing soon after an event, with when that was made. */
	rest(madeAt) {
		this.#eventAt = madeAt;
	}

	/** Keeps data if they are newer than what is known, and tells whether they are. */
	#keep(data, askedAt) {
		// Redis may have been asked earlier, for another page
		const at = askedAt - (data.ageMillis ?? 0);
		if (this.askedAt !== null && at < this.askedAt) {
			return false;
		}
		this.data = data;
		this.askedAt = at;
		this.receivedAt = performance.now();
		this.receivedOn = new Date();
		this.failure = null;
		return true;
	}

	async #ask() {
		if (document.hidden) {
			return;
		}
		if (performance.now() - this.#eventAt < QUIET_MILLIS) {
			this.#timer = setTimeout(() => this.#ask(), PERIOD_MILLIS);
			return;
		}
		this.#asking = true;
		const askedAt = performance.now();
		this.pendingSince = askedAt;
		const query = this.#query;
		try {
			const response = await fetch(this.#path + query, {
				headers: { Accept: "application/json" },
				cache: "no-store",
				redirect: "manual",
				signal: AbortSignal.timeout(this.#timeoutMillis),
			});
			const data = response.ok ? await response.json() : null;
			if (query !== this.#query) {
				// Nobody asks for that any more
			}
			else if (response.ok) {
				this.#keep(data, askedAt);
			}
			else {
				// A redirection is one to a login
				const signedOut = response.type === "opaqueredirect" || response.status === 401 || response.status === 403;
				this.failure = signedOut ? "signed out" : "cut off";
			}
		}
		catch {
			this.failure = "cut off";
		}
		this.pendingSince = null;
		this.#asking = false;
		if (query === this.#query) {
			this.changed();
			this.#timer = setTimeout(() => this.#ask(), PERIOD_MILLIS);
		}
		else {
			this.#ask();
		}
	}

	/** How old the latest answer is, counted from its question. */
	age() {
		return this.askedAt === null ? Infinity : performance.now() - this.askedAt;
	}
}
