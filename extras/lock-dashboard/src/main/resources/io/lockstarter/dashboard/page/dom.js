export const $ = (id) => document.getElementById(id);

export function element(tag, className, ...content) {
	const node = document.createElement(tag);
	if (className) {
		node.className = className;
	}
	node.append(...content);
	return node;
}

/** Sets text only where it differs, so that selections and screen readers stay calm. */
export function setText(node, text) {
	if (node.textContent !== text) {
		node.textContent = text;
	}
}

/** Creates a row of a table that small screens show as a list. */
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

/** Gives a parent as many children as there are items, and updates each: nothing moves. */
export function list(parent, items, create, update) {
	while (parent.children.length > items.length) {
		parent.lastChild.remove();
	}
	items.forEach((item, index) => {
		const node = parent.children[index] ?? parent.appendChild(create());
		update(node, item);
	});
}

/** Copies text, and tells beside the button what came of it. */
export function copyOnPress(button, text) {
	button.addEventListener("click", async () => {
		const label = button.dataset.text ??= button.textContent;
		try {
			await navigator.clipboard.writeText(text());
			setText(button, "Copied");
		}
		catch {
			setText(button, "Select the text instead: the browser refuses");
		}
		setTimeout(() => setText(button, label), 2000);
	});
}
