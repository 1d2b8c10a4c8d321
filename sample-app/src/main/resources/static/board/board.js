import { showCharts } from "./charts.js";
import { $, setText } from "./dom.js";
import { hearEvents, showEvents } from "./events.js";
import { all, hear, showInstances } from "./instances.js";
import { showLocks } from "./locks.js";

const PERIOD_MILLIS = 250;

function show() {
	const known = all();
	showLocks(known);
	showInstances(known);
	showEvents();
	showCharts(known.filter(({ figures }) => figures));
	const silent = known.filter((instance) => instance.silent).map(({ instance }) => instance);
	if (known.length > 0) {
		say(stream.readyState !== EventSource.OPEN ? "The instance of this page does not answer; trying again."
			: silent.length > 0 ? `Silent: ${silent.join(", ")}.` : "Live.", silent.length === 0 && stream.readyState === EventSource.OPEN);
	}
}

function say(text, good) {
	setText($("stream"), text);
	$("stream").classList.toggle("good", good);
	$("stream").classList.toggle("bad", !good);
}

async function start(button) {
	button.disabled = true;
	try {
		const response = await fetch(`board/experiments/${button.dataset.experiment}`, { method: "POST" });
		setText($("started"), response.ok ? `Started: ${button.textContent}` : `Not started: the answer was ${response.status}`);
	}
	catch (error) {
		setText($("started"), `Not started: ${error.message}`);
	}
	button.disabled = false;
}

const stream = new EventSource("board/snapshots");
stream.addEventListener("message", ({ data }) => {
	const snapshot = JSON.parse(data);
	hear(snapshot);
	hearEvents(snapshot);
});
// A stream that was refused is not tried again by the browser
stream.addEventListener("error", () => stream.readyState === EventSource.CLOSED && setTimeout(() => location.reload(), 5000));

document.querySelectorAll("[data-experiment]").forEach((button) => button.addEventListener("click", () => start(button)));
setInterval(show, PERIOD_MILLIS);
