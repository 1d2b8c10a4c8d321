const PERIOD_MILLIS = 800;
const TIMEOUT_MILLIS = 2500;

/** An answer older than this says nothing about now. */
const FRESH_MILLIS = 2800;

/** Of a page that nobody can see any more, the server need not be asked often whether there is a login again. */
const LOGGED_OUT_MILLIS = 15_000;

/** Asks without a password dialog of the browser, or a redirection to a login. */
export const HEADERS = { "Accept": "application/json", "X-Requested-With": "XMLHttpRequest" };

export const isLogin = (response) => response.type === "opaqueredirect" || response.status === 401 || response.status === 403;

/** Asks for the view again and again while the page is seen. */
export class Poll {
	#query;
	#changed;
	#timer;
	#round = 0;
	#startedAt = 0;
	#answeredAt = -Infinity;
	#loggedOut = false;

	/** The latest answer, and when it came. */
	view = null;
	answeredOn = null;

	constructor(query, changed) {
		this.#query = query;
		this.#changed = changed;
	}

	/** Asks at once, and goes on. An answer to what was asked before is not waited for. */
	start() {
		this.#startedAt = performance.now();
		this.now();
	}

	now() {
		clearTimeout(this.#timer);
		this.#ask(++this.#round);
	}

	/** "live", "connecting", "cut-off", or "logged-out". */
	state() {
		if (this.#loggedOut) {
			return "logged-out";
		}
		const now = performance.now();
		if (now - this.#answeredAt <= FRESH_MILLIS) {
			return "live";
		}
		return now - this.#startedAt <= FRESH_MILLIS ? "connecting" : "cut-off";
	}

	async #ask(round) {
		if (document.hidden) {
			return;
		}
		const askedAt = performance.now();
		try {
			const response = await fetch(`api/view?${this.#query()}`, { headers: HEADERS, cache: "no-store", redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MILLIS) });
			const view = response.ok ? await response.json() : null;
			if (round === this.#round) {
				this.#loggedOut = isLogin(response);
				if (view) {
					this.view = view;
					this.#answeredAt = askedAt;
					this.answeredOn = new Date();
				}
			}
		}
		catch {
			// There was no answer, which its age tells
		}
		if (round === this.#round) {
			this.#changed();
			const passed = performance.now() - askedAt;
			this.#timer = setTimeout(() => this.#ask(round), this.#loggedOut ? LOGGED_OUT_MILLIS : Math.max(100, PERIOD_MILLIS - passed));
		}
	}
}
