import { setText } from "./dom.js";

const SPAN_MILLIS = 300_000;
const STEP_MILLIS = 1000;

/** Between points further apart nothing was known: the page was out of sight. */
const GAP_MILLIS = 3500;

const WIDTH = 300;
const HEIGHT = 40;

/** A figure over the last five minutes, as far as this page has seen it. The line is broken where nothing was known. */
export class Sparkline {
	#picture;
	#name;
	#points = [];

	constructor(picture, name) {
		this.#picture = picture;
		this.#name = name;
		this.reset();
	}

	/** Forgets what was seen of something else. */
	reset() {
		this.#points = [];
		this.#draw(performance.now());
	}

	/** Notes the figure once a second; null if it is not known. */
	note(value) {
		const now = performance.now();
		if (now - (this.#points.at(-1)?.at ?? -Infinity) >= STEP_MILLIS) {
			this.#points.push({ at: now, value });
			this.#points = this.#points.filter(({ at }) => now - at <= SPAN_MILLIS);
			this.#draw(now);
		}
	}

	#draw(now) {
		const known = this.#points.filter(({ value }) => value !== null);
		const highest = Math.max(1, ...known.map(({ value }) => value));
		let path = "";
		let last = null;
		for (const { at, value } of known) {
			const x = (WIDTH * (1 - (now - at) / SPAN_MILLIS)).toFixed(1);
			const y = (HEIGHT - 1 - (HEIGHT - 2) * value / highest).toFixed(1);
			const goesOn = last !== null && at - last <= GAP_MILLIS && !this.#points.some((point) => point.value === null && point.at > last && point.at < at);
			path += goesOn ? `L${x} ${y}` : `M${x} ${y}h1`;
			last = at;
		}
		this.#picture.querySelector("path").setAttribute("d", path);
		const words = known.length === 0 ? "nothing is known yet" : `between ${Math.min(...known.map(({ value }) => value))} and ${Math.max(...known.map(({ value }) => value))}`;
		setText(this.#picture.querySelector("title"), `${this.#name} within the last 5 minutes that this page has seen: ${words}`);
	}
}
