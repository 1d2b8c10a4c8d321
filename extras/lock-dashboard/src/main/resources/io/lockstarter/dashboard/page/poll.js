const PERIOD_MILLIS = 1000;
const TIMEOUT_MILLIS = 2500;

/** Age up to which a response shows the present state. */
const FRESH_MILLIS = 2800;

/** Interval of requests while the user is logged out. */
const LOGGED_OUT_MILLIS = 15_000;

/** Headers that prevent password dialogs of the browser and redirections to a login. */
export const HEADERS = { "Accept": "application/json", "X-Requested-With": "XMLHttpRequest" };

export const isLogin = (response) => response.type === "opaqueredirect" || response.status === 401 || response.status === 403;

/** Requests the view periodically while the page is visible and not paused. */
export class Poll {
	#query;
	#changed;
	#timer;
	#round = 0;
	#startedAt = 0;
	#requestedAt = -Infinity;
	#loggedOut = false;

	/** The latest view, and the time when it was received. */
	view = null;
	updatedOn = null;

	/** The time when the page was paused, or null. */
	pausedOn = null;

	/** Whether the latest request failed. */
	failed = false;

	constructor(query, changed) {
		this.#query = query;
		this.#changed = changed;
	}

	start() {
		this.#startedAt = performance.now();
		this.requestNow();
	}

	/** Stops the periodic requests. A running request is ignored. */
	pause() {
		clearTimeout(this.#timer);
		this.#round++;
		this.pausedOn = new Date();
		this.#changed();
	}

	resume() {
		this.pausedOn = null;
		this.start();
	}

	/** Sends a request at once, even if the page is paused. A running request is ignored. */
	requestNow() {
		clearTimeout(this.#timer);
		this.#request(++this.#round);
	}

	/** Returns "live", "connecting", "cut-off", "paused", or "logged-out". */
	state() {
		if (this.#loggedOut) {
			return "logged-out";
		}
		if (this.pausedOn) {
			return "paused";
		}
		const now = performance.now();
		if (now - this.#requestedAt <= FRESH_MILLIS) {
			return "live";
		}
		return now - this.#startedAt <= FRESH_MILLIS ? "connecting" : "cut-off";
	}

	async #request(round) {
		if (document.hidden) {
			return;
		}
		const sentAt = performance.now();
		let response = null;
		let view = null;
		try {
			response = await fetch(`api/view?${this.#query()}`, { headers: HEADERS, cache: "no-store", redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MILLIS) });
			view = response.ok ? await response.json() : null;
		}
		catch {
			// The age of the latest view shows the failure
		}
		if (round !== this.#round) {
			return;
		}
		this.failed = view === null;
		this.#loggedOut = response ? isLogin(response) : this.#loggedOut;
		if (view) {
			this.view = view;
			this.#requestedAt = sentAt;
			this.updatedOn = new Date();
		}
		this.#changed();
		if (!this.pausedOn) {
			const passed = performance.now() - sentAt;
			this.#timer = setTimeout(() => this.#request(round), this.#loggedOut ? LOGGED_OUT_MILLIS : Math.max(100, PERIOD_MILLIS - passed));
		}
	}
}
