/** A server that sends no events is asked for them again after a while. */
const RETRY_MILLIS = 30_000;

/** Lets the server send what sources would ask for, while the page is seen. Without it, they ask. */
export class Stream {
	#path;
	#sources;
	#query = "";
	#events = null;
	#retry;

	constructor(path, sources) {
		this.#path = path;
		this.#sources = sources;
	}

	open(query = this.#query) {
		this.close();
		this.#query = query;
		if (document.hidden) {
			return;
		}
		// The server begins later, so that an event is never older than it seems here
		const startedAt = performance.now();
		let heard = false;
		this.#events = new EventSource(this.#path + query);
		for (const [name, source] of Object.entries(this.#sources)) {
			this.#events.addEventListener(name, ({ data, lastEventId }) => {
				if (document.hidden) {
					this.close();
					return;
				}
				heard = true;
				const madeAt = startedAt + Number(lastEventId);
				// While Redis is silent no event of it comes, nor would an answer
				Object.values(this.#sources).forEach((one) => one.rest(madeAt));
				source.hear(JSON.parse(data), madeAt);
			});
		}
		// It ends in order now and then, or cannot be had
		this.#events.addEventListener("error", () => {
			this.close();
			this.#retry = setTimeout(() => this.open(), heard ? 0 : RETRY_MILLIS);
		});
	}

	close() {
		clearTimeout(this.#retry);
		this.#events?.close();
		this.#events = null;
	}
}
