import { $, element, onPress } from "./common/dom.js";
import { every, get, post } from "./common/http.js";

const busy = new Map();
let hall;

function say(text, good) {
	const line = element("li", good ? "good" : "bad", `${new Date().toLocaleTimeString("en-GB")} ${text}`);
	$("messages").prepend(line);
	while ($("messages").children.length > 30) {
		$("messages").lastChild.remove();
	}
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
			const button = element("button", "free");
			button.type = "button";
			button.append(element("span", "", seat), element("small"));
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
		entry.append(element("dt", "", name), element("dd", "", value));
		return entry;
	}));
}

function showSettlements() {
	const lines = hall.settlements.map((statement) => element("li", "", `${new Date(statement.settledAt).toLocaleTimeString("en-GB")} `
		+ `${statement.settledBy} paid ${statement.amount} for ${statement.tickets} ticket${statement.tickets === 1 ? "" : "s"}`));
	$("settlements").replaceChildren(...(lines.length > 0 ? lines : [element("li", "none", "none yet")]));
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
		$("instance").textContent = "an instance that does not respond";
	}
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

onPress($("reset"), async () => {
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
