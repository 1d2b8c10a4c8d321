import { $, createRow, element, list, setText } from "./dom.js";
import { count, duration, kind, lease, sentence } from "./words.js";

const COLUMNS = [
	{ label: "Lock", sort: "name", className: "name-cell" },
	{ label: "Type", sort: "type", className: "type" },
	{ label: "Holder", sort: "holder", className: "holder" },
	{ label: "Held for", sort: "held", className: "number held", descending: true },
	{ label: "Lease", sort: "lease", className: "lease" },
	{ label: "Waiting", sort: "waiting", className: "number waiting", descending: true },
	{ label: "Longest wait", sort: "wait", className: "number wait", descending: true },
	{ label: "Trouble", sort: "trouble", className: "trouble" },
];

/** A long name, of which the last characters are always shown. */
const LONG_NAME = /^(.{12,}?)(.{12})$/su;

/** After this time without a movement, nobody is taken to point at the table. */
const POINTED_MILLIS = 60_000;

/** The table of locks. Its order stays while somebody points at it or has the focus in it. */
export class LockTable {
	#open;
	#changed;
	#shown = [];
	#pointedAt = -Infinity;

	sort = "trouble";
	descending = false;

	constructor(open, changed) {
		this.#open = open;
		this.#changed = changed;
		$("heads").append(...COLUMNS.map((column) => this.#head(column)));
		const rows = $("rows");
		["pointermove", "pointerdown"].forEach((type) => rows.addEventListener(type, () => (this.#pointedAt = performance.now())));
		rows.addEventListener("pointerleave", () => (this.#pointedAt = -Infinity));
	}

	#head({ label, sort, className, descending }) {
		const button = element("button", "", label);
		button.type = "button";
		button.addEventListener("click", () => {
			this.descending = this.sort === sort ? !this.descending : descending === true;
			this.sort = sort;
			this.#showSorting();
			this.forget();
			this.#changed();
		});
		const head = element("th", className, button);
		head.scope = "col";
		head.setAttribute("role", "columnheader");
		head.dataset.sort = sort;
		return head;
	}

	#showSorting() {
		for (const head of $("heads").children) {
			const chosen = head.dataset.sort === this.sort;
			head.setAttribute("aria-sort", chosen ? (this.descending ? "descending" : "ascending") : "none");
		}
	}

	/** Takes an order over, if there is a column for it. */
	sortBy(sort, descending) {
		if (COLUMNS.some((column) => column.sort === sort)) {
			Object.assign(this, { sort, descending });
		}
	}

	/** Whether the rows are in another order than at first. */
	isSorted() {
		return this.sort !== "trouble" || this.descending;
	}

	/** Lets the order change with the next rows, whoever points at them. */
	forget() {
		this.#shown = [];
	}

	isUsed() {
		// Whoever uses the keyboard must get the row that has the focus, whenever the key is pressed
		return performance.now() - this.#pointedAt < POINTED_MILLIS || $("rows").querySelector(":focus-visible") !== null || $("drawer").open;
	}

	/** The keys of the rows that are to stay. */
	pinned() {
		return this.isUsed() ? this.#shown.map(({ key }) => key) : [];
	}

	/** Shows rows, and returns how many new ones are not shown since the order is kept. */
	show(rows, pinned, limit) {
		this.#showSorting();
		let hidden = 0;
		if (this.isUsed() && this.#shown.length > 0) {
			const known = new Map([...rows, ...pinned].map((row) => [row.key, row]));
			const kept = new Set(this.#shown.map(({ key }) => key));
			this.#shown = this.#shown.map((row) => known.get(row.key) ?? { ...row, gone: true });
			const more = rows.filter(({ key }) => !kept.has(key));
			const room = more.slice(0, Math.max(0, limit - this.#shown.length));
			this.#shown.push(...room);
			hidden = more.length - room.length;
		}
		else {
			this.#shown = rows;
		}
		list($("rows"), this.#shown, () => this.#create(), update);
		return hidden;
	}

	#create() {
		const row = createRow(COLUMNS.map(({ label, className }) => [label, className]));
		const button = element("button", "name");
		button.type = "button";
		button.setAttribute("aria-haspopup", "dialog");
		button.append(element("span", "head"), element("span", "tail"));
		row.firstChild.append(button);
		row.children[2].append(element("b"), element("span", "soft"));
		row.lastChild.append(element("span", "pill"));
		row.addEventListener("click", () => this.#open(row.dataset.key, button.textContent));
		return row;
	}
}

function update(node, row) {
	node.dataset.key = row.key;
	node.dataset.lock = row.name;
	node.dataset.level = row.gone ? "GOOD" : row.level;
	node.classList.toggle("stale", row.gone === true || row.holder?.state === "outdated");
	const [name, type, holder, held, leased, waiting, wait, trouble] = node.children;
	const [head, tail] = name.firstChild.children;
	// Where there is too little room, the middle is left out: names often differ only in their ends
	const [, start, end] = LONG_NAME.exec(row.name) ?? ["", row.name, ""];
	setText(head, start);
	setText(tail, end);
	name.firstChild.title = row.name;
	name.firstChild.setAttribute("aria-label", row.name);
	setText(type, row.gone ? "" : kind(row));
	type.classList.toggle("usual", row.type === "reentrant" && row.permits === 1);
	const [instance, thread] = holderOf(row);
	setText(holder.firstChild, instance);
	setText(holder.lastChild, thread);
	holder.title = `${instance} ${thread}`.trim();
	setText(held, row.gone || row.holders === 0 ? "" : duration(row.heldMillis));
	setText(leased, row.gone || !row.holder ? "" : row.holders > 1 ? `${duration(row.leaseMillis)}, shortest` : lease(row.holder));
	setText(waiting, row.gone || row.requests === 0 ? "" : row.requests.toLocaleString("en"));
	setText(wait, row.gone || row.requests === 0 || row.longestWaitMillis === 0 ? "" : duration(row.longestWaitMillis));
	setText(trouble.firstChild, row.gone ? "" : sentence(row.troubles));
	trouble.title = trouble.textContent;
}

/** Who holds a lock: an instance and a thread of it, or how many. */
function holderOf({ gone, holders, holderInstances, holder }) {
	if (gone) {
		return ["", "gone"];
	}
	if (!holder) {
		return ["", "nobody"];
	}
	if (holders > 1) {
		return [holderInstances === 1 ? holder.instance : count(holderInstances, "instance", "instances"), ` ${count(holders, "holder", "holders")}`];
	}
	const state = { silent: ", does not answer", unclaimed: " released it, not confirmed", outdated: ", as last heard" }[holder.state] ?? "";
	return [holder.instance, `${holder.thread ? ` ${holder.thread}` : ""}${state}`];
}
