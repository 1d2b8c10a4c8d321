import { $, createHeads, createRow, element, list, setText } from "./dom.js";
import { count, duration, kind, lease, sentence } from "./words.js";

const COLUMNS = [
	{ label: "Lock", sort: "name", className: "name-cell" },
	{ label: "Type", sort: "type", className: "type" },
	{ label: "Holder", sort: "holder", className: "holder" },
	{ label: "Held for", sort: "held", className: "number held", descending: true },
	{ label: "Lease", sort: "lease", className: "number lease" },
	{ label: "Waiting", sort: "waiting", className: "number waiting", descending: true },
	{ label: "Longest wait", sort: "wait", className: "number wait", descending: true },
	{ label: "State", sort: "problem", className: "problem" },
];

const CELLS = COLUMNS.map(({ label, className }) => [label, className]);

/** Long name, which is abbreviated in front of its last characters. */
const LONG_NAME = /^(.{12,}?)(.{12})$/su;

/** Time after the last movement of the pointer for which the table counts as in use. */
const POINTED_MILLIS = 60_000;

/** Table of locks. Its order does not change while the pointer or the focus is in the table. */
export class LockTable {
	#open;
	#changed;
	#shown = [];
	#pointedAt = -Infinity;

	sort = "problem";
	descending = false;

	/** The columns that the user has hidden. */
	hidden = new Set();

	constructor(open, changed) {
		this.#open = open;
		this.#changed = changed;
		const heads = createHeads(CELLS);
		heads.forEach((head, index) => this.#makeSortable(head, COLUMNS[index]));
		$("heads").append(...heads);
		$("columns").append(...COLUMNS.slice(1).map((column) => this.#createChoice(column)));
		const rows = $("rows");
		["pointermove", "pointerdown"].forEach((type) => rows.addEventListener(type, () => (this.#pointedAt = performance.now())));
		rows.addEventListener("pointerleave", () => (this.#pointedAt = -Infinity));
	}

	#makeSortable(head, { label, sort, descending }) {
		const button = element("button", "", label);
		button.type = "button";
		button.addEventListener("click", () => {
			this.descending = this.sort === sort ? !this.descending : descending === true;
			this.sort = sort;
			this.#showHeads();
			this.allowReordering();
			this.#changed(true);
		});
		head.dataset.sort = sort;
		head.replaceChildren(button);
	}

	#createChoice({ label, sort }) {
		const box = element("input");
		box.type = "checkbox";
		box.value = sort;
		box.addEventListener("change", () => {
			if (box.checked) {
				this.hidden.delete(sort);
			}
			else {
				this.hidden.add(sort);
			}
			this.#showColumns();
			this.#changed(false);
		});
		return element("label", "", box, label);
	}

	#showHeads() {
		for (const head of $("heads").children) {
			const chosen = head.dataset.sort === this.sort;
			head.setAttribute("aria-sort", chosen ? (this.descending ? "descending" : "ascending") : "none");
		}
	}

	#showColumns() {
		[$("heads"), ...$("rows").children].forEach((row) => this.#hideCells(row));
		$("columns").querySelectorAll("input").forEach((box) => (box.checked = !this.hidden.has(box.value)));
	}

	#hideCells(row) {
		COLUMNS.forEach(({ sort }, index) => (row.children[index].hidden = this.hidden.has(sort)));
	}

	/** Sorts by a column if it exists. */
	sortBy(sort, descending) {
		if (COLUMNS.some((column) => column.sort === sort)) {
			Object.assign(this, { sort, descending });
		}
	}

	/** Hides all columns except the first that have one of these names. */
	hide(names) {
		this.hidden = new Set(COLUMNS.slice(1).map(({ sort }) => sort).filter((sort) => names.includes(sort)));
		this.#showColumns();
	}

	/** Returns whether the order is not the initial one. */
	isSorted() {
		return this.sort !== "problem" || this.descending;
	}

	/** Allows the next rows to be in another order, even if the table is in use. */
	allowReordering() {
		this.#shown = [];
	}

	isInUse() {
		// A row with the focus must stay until its key is pressed
		return performance.now() - this.#pointedAt < POINTED_MILLIS || $("rows").querySelector(":focus-visible") !== null || $("drawer").open;
	}

	/** Returns the keys of the rows that have to stay in their order. */
	pinned() {
		return this.isInUse() ? this.#shown.map(({ key }) => key) : [];
	}

	/** Shows rows, and returns the number of rows that do not fit because the order must not change. */
	show(rows, pinned, limit) {
		this.#showHeads();
		let omitted = 0;
		if (this.isInUse() && this.#shown.length > 0) {
			const known = new Map([...rows, ...pinned].map((row) => [row.key, row]));
			const kept = new Set(this.#shown.map(({ key }) => key));
			this.#shown = this.#shown.map((row) => known.get(row.key) ?? { ...row, gone: true });
			const more = rows.filter(({ key }) => !kept.has(key));
			const room = more.slice(0, Math.max(0, limit - this.#shown.length));
			this.#shown.push(...room);
			omitted = more.length - room.length;
		}
		else {
			this.#shown = rows;
		}
		list($("rows"), this.#shown, () => this.#create(), update);
		return omitted;
	}

	#create() {
		const row = createRow(CELLS);
		const button = element("button", "name");
		button.type = "button";
		button.setAttribute("aria-haspopup", "dialog");
		button.append(element("span", "head"), element("span", "tail"));
		row.firstChild.append(button);
		row.children[2].append(element("b"), element("span", "soft"));
		row.children[4].append(element("span", "soft"), element("span", "amount"));
		row.lastChild.append(element("span", "pill"));
		row.addEventListener("click", () => this.#open(row.dataset.key, button.textContent));
		this.#hideCells(row);
		return row;
	}
}

function update(node, row) {
	node.dataset.key = row.key;
	node.dataset.lock = row.name;
	node.dataset.level = row.gone ? "GOOD" : row.level;
	node.classList.toggle("stale", row.gone === true || row.holder?.state === "outdated");
	const [name, type, holder, held, leased, waiting, wait, problem] = node.children;
	const [head, tail] = name.firstChild.children;
	// Only the middle is abbreviated, because names often differ only in their ends
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
	const [left, renewal] = row.gone || !row.holder ? ["", ""] : row.holders > 1 ? [duration(row.leaseMillis), "earliest"] : lease(row.holder);
	// Only what is not usual is worth a word
	setText(leased.firstChild, renewal && renewal !== "renewed" ? `${renewal} ` : "");
	setText(leased.lastChild, left);
	setText(waiting, row.gone ? "" : row.requests.toLocaleString("en"));
	setText(wait, row.gone ? "" : row.longestWaitMillis > 0 ? duration(row.longestWaitMillis) : "–");
	[waiting, wait].forEach((cell) => cell.classList.toggle("usual", row.requests === 0));
	setText(problem.firstChild, row.gone ? "" : sentence(row.problems) || "OK");
	problem.title = problem.textContent;
	problem.classList.toggle("usual", row.problems.length === 0);
}

/** Returns the instance and the thread of the holder, or the numbers of instances and holders. */
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
	const state = { unresponsive: ", does not reply", release_unconfirmed: " released it, not confirmed", outdated: ", in the last report" }[holder.state] ?? "";
	return [holder.instance, `${holder.thread ? ` ${holder.thread}` : ""}${state}`];
}
