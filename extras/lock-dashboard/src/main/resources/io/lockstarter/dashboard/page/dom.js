export const $ = (id) => document.getElementById(id);

export function element(tag, className, ...content) {
	const node = document.createElement(tag);
	if (className) {
		node.className = className;
	}
	node.append(...content);
	return node;
}

/** Sets text only if it differs, so that selections stay and screen readers do not repeat it. */
export function setText(node, text) {
	if (node.textContent !== text) {
		node.textContent = text;
	}
}

/** Creates the heads of the columns of a table. */
export function createHeads(cells) {
	return cells.map(([label, className]) => {
		const head = element("th", className, label);
		head.scope = "col";
		head.setAttribute("role", "columnheader");
		return head;
	});
}

/** Creates a row of a table. Small screens show the row as a list. */
export function createRow(cells) {
	const row = element("tr", "", ...cells.map(([label, className]) => {
		const cell = element("td", className);
		cell.setAttribute("role", "cell");
		cell.dataset.label = label;
		return cell;
	}));
	row.setAttribute("role", "row");
	return row;
}

/** Gives a parent one child per item and updates each child, without replacing any. */
export function list(parent, items, create, update) {
	while (parent.children.length > items.length) {
		parent.lastChild.remove();
	}
	items.forEach((item, index) => {
		const node = parent.children[index] ?? parent.appendChild(create());
		update(node, item);
	});
}

/** Makes a button copy text, and show the result as its label for two seconds. */
export function copyOnPress(button, text) {
	button.addEventListener("click", async () => {
		const label = button.dataset.text ??= button.textContent;
		try {
			await navigator.clipboard.writeText(text());
			setText(button, "Copied");
		}
		catch {
			setText(button, "The browser refuses: select the text");
		}
		setTimeout(() => setText(button, label), 2000);
	});
}
