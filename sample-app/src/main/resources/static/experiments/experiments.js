import { $, badge, element, keyed, onPress, say, setText } from "../common/dom.js";
import { every, get, post } from "../common/http.js";

const PERIOD_MILLIS = 500;

/** Kinds of the events that end an experiment as expected. */
const ENDS = ["DONE", "REFUSED", "OVERWRITTEN"];

const experiments = [...document.querySelectorAll(".experiment")];

function show({ instance, events }) {
	setText($("instance"), instance);
	for (const section of experiments) {
		const own = events.filter(({ experiment }) => experiment === section.dataset.experiment);
		showStory(section.querySelector(".story"), latestRun(own));
		section.dataset.ended = own.some(({ kind }) => ENDS.includes(kind));
	}
	showGuide();
}

function latestRun(events) {
	return events.slice(Math.max(0, events.findLastIndex(({ kind }) => kind === "STARTED")));
}

function showStory(list, events) {
	const log = list.parentElement;
	const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
	keyed(list, events, ({ id }) => String(id), (event) => line(event, events[0].token), () => {});
	if (atEnd) {
		log.scrollTop = log.scrollHeight;
	}
}

function line({ at, instance, kind, token, text }, firstToken) {
	const node = element("li", "", badge(instance), element("code", "", ...(token ? ["token ", ...digits(token, firstToken)] : [])),
		element("span", "text", element("time", "", new Date(at).toLocaleTimeString("en-GB")), text));
	Object.assign(node.dataset, { kind, instance, token: token ?? "" });
	return node;
}

/** Highlights the digits in which a token differs from the first one of the story. */
function digits(token, first) {
	let same = 0;
	while (first && token !== first && token[same] === first[same]) {
		same++;
	}
	return [token.slice(0, same), element("b", "", token.slice(same))];
}

/** Shows which experiment to start next: the first one that has not ended as expected. */
function showGuide() {
	const next = experiments.findIndex(({ dataset }) => dataset.ended !== "true");
	experiments.forEach((section, index) => setText(section.querySelector(".guide"),
		index !== next ? "" : index === 0 ? "Press this first." : "Press this next."));
}

async function start(section) {
	const result = section.querySelector(".result");
	try {
		await post(`experiments/${section.dataset.experiment}/runs`);
		say(result, "Started.", true);
	}
	catch (error) {
		say(result, `Not started. ${error.message}`, false);
	}
}

async function refresh() {
	try {
		show(await get("experiments"));
		say($("connection"), "Live.", true);
	}
	catch (error) {
		say($("connection"), error.message, false);
	}
}

experiments.forEach((section) => onPress(section.querySelector("button"), () => start(section)));
every(PERIOD_MILLIS, refresh);
