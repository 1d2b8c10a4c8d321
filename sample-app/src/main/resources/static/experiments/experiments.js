import { $, badge, element, keyed, onPress, say, setText } from "../common/dom.js";
import { every, get, post } from "../common/http.js";

const PERIOD_MILLIS = 500;

/** What an experiment comes to, if it shows what it is to show. */
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

/** Sets off the digits in which a token differs from the first one of the story. */
function digits(token, first) {
	let same = 0;
	while (first && token !== first && token[same] === first[same]) {
		same++;
	}
	return [token.slice(0, same), element("b", "", token.slice(same))];
}

/** Tells which experiment to start: the first one that has not shown yet what it is to show. */
function showGuide() {
	const next = experiments.findIndex(({ dataset }) => dataset.ended !== "true");
	experiments.forEach((section, index) => setText(section.querySelector(".guide"),
		index !== next ? "" : index === 0 ? "Press this first." : "Press this next."));
}

async function start(section) {
	const said = section.querySelector(".said");
	try {
		await post(`experiments/${section.dataset.experiment}/runs`);
		say(said, "Started.", true);
	}
	catch (error) {
		say(said, `Not started. ${error.message}`, false);
	}
}

async function look() {
	try {
		show(await get("experiments"));
		say($("answer"), "Live.", true);
	}
	catch (error) {
		say($("answer"), error.message, false);
	}
}

experiments.forEach((section) => onPress(section.querySelector("button"), () => start(section)));
every(PERIOD_MILLIS, look);
