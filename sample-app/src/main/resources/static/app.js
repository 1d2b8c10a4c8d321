"use strict";

const $ = (id) => document.getElementById(id);
const busy = new Map();
let hall;

function element(tag, text, className) {
	const node = document.createElement(tag);
	node.textContent = text ?? "";
	if (className) {
		node.className = className;
	}
	return node;
}

function say(text, good) {
	const line = element("li", `${new Date().toLocaleTimeString()} ${text}`, good ? "good" : "bad");
	$("messages").prepend(line);
	while ($("messages").children.length > 30) {
		$("messages").lastChild.remove();
	}
}

async function post(path, parameters) {
	const response = await fetch(path, { method: "POST", body: new URLSearchParams(parameters) });
	const body = await response.json();
	if (!response.ok) {
		throw new Error(`${response.status} from ${body.answeredBy ?? "the server"}: ${body.detail ?? body.title}`);
	}
	return body;
}

async function book(seat) {
	if (!$("booking").reportValidity()) {
		return;
	}
	const customer = $("customer").value;
	busy.set(seat, (busy.get(seat) ?? 0) + 1);
	showSeats();
	try {
		const ticket = await post(`seats/${seat}`, { customer, locked: $("locked").checked });
		say(`${ticket.seat} sold to ${ticket.customer} by ${ticket.soldBy}`, true);
	}
	catch (error) {
		say(error.message, false);
	}
	busy.set(seat, busy.get(seat) - 1);
	await refresh();
}

function showSeats() {
	if (!hall) {
		return;
	}
	if ($("seats").children.length === 0) {
		for (const seat of hall.seats) {
			const button = element("button");
			button.type = "button";
			button.append(element("span", seat), element("small"));
			button.addEventListener("click", () => book(seat));
			const item = element("li");
			item.append(button);
			$("seats").append(item);
		}
	}
	hall.seats.forEach((seat, index) => {
		const tickets = hall.tickets.filter((ticket) => ticket.seat === seat);
		const button = $("seats").children[index].firstChild;
		const [state, label] = stateOf(seat, tickets);
		if (button.className !== state || button.lastChild.textContent !== label) {
			button.className = state;
			button.lastChild.textContent = label;
		}
		button.title = tickets.map((ticket) => `sold to ${ticket.customer} by ${ticket.soldBy}`).join(", ");
	});
}

function stateOf(seat, tickets) {
	if (busy.get(seat) > 0) {
		return ["busy", "…"];
	}
	if (tickets.length > 1) {
		return ["oversold", `sold ${tickets.length}×`];
	}
	return tickets.length === 1 ? ["sold", tickets[0].customer] : ["free", "free"];
}

function showAccounts() {
	const entries = hall.accounts.map(({ customer, balance }) => [customer, balance]);
	entries.push(["sum", hall.accounts.reduce((sum, account) => sum + account.balance, 0)]);
	$("accounts").replaceChildren(...entries.map(([name, value]) => {
		const entry = element("div");
		entry.append(element("dt", name), element("dd", value));
		return entry;
	}));
}

function showSettlements() {
	const lines = hall.settlements.map((statement) => element("li", `${new Date(statement.settledAt).toLocaleTimeString()} `
		+ `${statement.settledBy} paid ${statement.amount} for ${statement.tickets} ticket${statement.tickets === 1 ? "" : "s"}`));
	$("settlements").replaceChildren(...(lines.length > 0 ? lines : [element("li", "none yet", "none")]));
}

function showLocks({ held, waiting }) {
	const rows = [
		...held.map((lock) => [lock, lock.watchdog === "renewing" ? "held, renewed" : `held, ${lock.watchdog.replace("_", " ")}`,
			seconds(lock.remainingLeaseMillis)]),
		...waiting.map((lock) => [lock, `waiting, place ${lock.position}`, ""]),
	].map(([lock, state, lease]) => {
		const row = element("tr");
		const since = seconds(Math.max(0, Date.now() - Date.parse(lock.since)));
		row.append(...[lock.name, state, lock.owner, since, lease].map((text) => element("td", text)));
		return row;
	});
	if (rows.length === 0) {
		const none = element("td", "none held, none awaited", "none");
		none.colSpan = 5;
		const row = element("tr");
		row.append(none);
		rows.push(row);
	}
	$("locks").replaceChildren(...rows);
}

function showHealth(status) {
	$("health").textContent = status;
	$("health").className = status === "UP" ? "up" : "down";
}

function seconds(millis) {
	return `${(millis / 1000).toFixed(1)} s`;
}

async function get(path, expected = [200]) {
	const response = await fetch(path, { headers: { Accept: "application/json" } });
	if (!expected.includes(response.status)) {
		throw new Error(`${response.status} from ${path}`);
	}
	return response.json();
}

async function refresh() {
	try {
		hall = await get("box-office");
		$("instance").textContent = hall.instance;
		showSeats();
		showAccounts();
		showSettlements();
	}
	catch {
		$("instance").textContent = "an instance that does not answer";
	}
}

function every(millis, action) {
	const round = async () => {
		await action().catch(() => {});
		setTimeout(round, millis);
	};
	round();
}

$("booking").addEventListener("submit", (event) => event.preventDefault());

$("transfer").addEventListener("submit", async (event) => {
	event.preventDefault();
	const { from, to, amount } = Object.fromEntries(new FormData(event.target));
	try {
		await post("transfers", { from, to, amount });
		say(`${from} paid ${to} ${amount}`, true);
	}
	catch (error) {
		say(error.message, false);
	}
	await refresh();
});

$("reset").addEventListener("click", async () => {
	try {
		await post("reset", {});
		say("Started over", true);
	}
	catch (error) {
		say(error.message, false);
	}
	await refresh();
});

$("curl").textContent = `curl -sw '\\n' -d customer=bob ${location.origin}/seats/A1 &
curl -sw '\\n' -d customer=cem ${location.origin}/seats/A1; wait`;

every(1000, refresh);
every(1000, async () => showLocks(await get("actuator/locks")));
every(5000, async () => showHealth((await get("actuator/health", [200, 503])).status));
