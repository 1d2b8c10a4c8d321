export const get = (path) => request(path, "GET");

export const post = (path, parameters) => request(path, "POST", parameters);

/** Sends a request to the instance of this page. The message of an error is meant for the visitor. */
async function request(path, method, parameters) {
	let response;
	try {
		response = await fetch(path, { method, body: parameters && new URLSearchParams(parameters) });
	}
	catch {
		throw new Error("The instance of this page does not respond. Is it still running?");
	}
	const body = await response.json().catch(() => ({}));
	if (!response.ok) {
		throw new Error(body.detail ?? `The request failed (${response.status}). The log of the instance says why.`);
	}
	return body;
}

/** Runs an action repeatedly while the page is visible. */
export function every(millis, action) {
	const round = async () => {
		if (!document.hidden) {
			await action();
		}
		setTimeout(round, millis);
	};
	round();
}
