export const get = (path) => ask(path, "GET");

export const post = (path, parameters) => ask(path, "POST", parameters);

/** Asks the instance of this page. An error tells in plain words why there is no good answer. */
async function ask(path, method, parameters) {
	let response;
	try {
		response = await fetch(path, { method, body: parameters && new URLSearchParams(parameters) });
	}
	catch {
		throw new Error("The instance of this page does not answer. Is it still running?");
	}
	const body = await response.json().catch(() => ({}));
	if (!response.ok) {
		throw new Error(body.detail ?? `The instance of this page cannot answer (${response.status}). Its log says why.`);
	}
	return body;
}

/** Does something again and again while the page is seen. */
export function every(millis, action) {
	const round = async () => {
		if (!document.hidden) {
			await action();
		}
		setTimeout(round, millis);
	};
	round();
}
