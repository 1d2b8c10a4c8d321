import { element, setText } from "./dom.js";

const MINUTE_MILLIS = 60_000;
const MAX_MINUTES = 5;
const STEP_MILLIS = 1000;

/** Distance of two points from which the line between them is interrupted. */
const GAP_MILLIS = 3500;

const WIDTH = 300;
const HEIGHT = 40;

const SVG = "http://www.w3.org/2000/svg";

/** Line of a figure over the last minutes, with its scale. Where the figure is unknown, only a dashed base line is drawn. */
export class Sparkline {
	#name;
	#format;
	#minTop;
	#points = [];
	#base = document.createElementNS(SVG, "path");
	#line = document.createElementNS(SVG, "path");
	#area = document.createElementNS(SVG, "path");
	#title = document.createElementNS(SVG, "title");
	#top = element("span", "top");
	#span = element("span", "span");

	constructor(parent, name, format, minTop = 1) {
		this.#name = name;
		this.#format = format;
		this.#minTop = minTop;
		const picture = document.createElementNS(SVG, "svg");
		picture.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
		picture.setAttribute("preserveAspectRatio", "none");
		picture.setAttribute("role", "img");
		this.#base.classList.add("base");
		this.#base.setAttribute("d", `M0 ${HEIGHT - 1}H${WIDTH}`);
		this.#area.classList.add("area");
		picture.append(this.#title, this.#base, this.#area, this.#line);
		[this.#top, this.#span].forEach((node) => node.setAttribute("aria-hidden", "true"));
		parent.append(picture, this.#top, this.#span);
	}

	reset() {
		this.#points = [];
	}

	/** Adds the present figure, or null if it is unknown. Each second has one point. */
	add(value) {
		const now = performance.now();
		const last = this.#points.at(-1);
		if (last && now - last.at < STEP_MILLIS) {
			last.value = value;
		}
		else {
			this.#points.push({ at: now, value });
		}
		this.#points = this.#points.filter(({ at }) => now - at <= MAX_MINUTES * MINUTE_MILLIS);
		this.#draw(now);
	}

	#draw(now) {
		const known = this.#points.filter(({ value }) => value !== null);
		const highest = Math.max(this.#minTop, ...known.map(({ value }) => value));
		const age = now - this.#points[0].at;
		const minutes = Math.min(MAX_MINUTES, Math.max(1, Math.ceil(age / MINUTE_MILLIS)));
		const x = ({ at }) => (WIDTH * (1 - (now - at) / (minutes * MINUTE_MILLIS))).toFixed(1);
		const y = ({ value }) => (HEIGHT - 1 - (HEIGHT - 2) * value / highest).toFixed(1);
		const pieces = this.#pieces();
		const lines = pieces.map((points) => points.map((point) => `${x(point)} ${y(point)}`).join("L"));
		this.#line.setAttribute("d", lines.map((line) => `M${line}h1`).join(""));
		this.#area.setAttribute("d", pieces.map((points, index) => `M${x(points[0])} ${HEIGHT}L${lines[index]}V${HEIGHT}Z`).join(""));
		setText(this.#top, known.length > 0 ? `max ${this.#format(Math.max(...known.map(({ value }) => value)))}` : "");
		setText(this.#span, age < MINUTE_MILLIS - STEP_MILLIS ? "collecting…" : `${minutes} min`);
		const range = known.length === 0 ? "unknown" : `between ${this.#format(Math.min(...known.map(({ value }) => value)))} and ${this.#format(Math.max(...known.map(({ value }) => value)))}`;
		setText(this.#title, `${this.#name} within the last ${minutes === 1 ? "minute" : `${minutes} minutes`} that this page has seen: ${range}`);
	}

	/** Returns the sequences of points without gaps. */
	#pieces() {
		const pieces = [];
		let last = null;
		for (const point of this.#points) {
			if (point.value !== null) {
				if (last === null || point.at - last > GAP_MILLIS) {
					pieces.push([]);
				}
				pieces.at(-1).push(point);
			}
			last = point.value === null ? null : point.at;
		}
		return pieces;
	}
}
