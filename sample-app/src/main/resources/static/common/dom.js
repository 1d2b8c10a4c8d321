export const $ = (id) => document.getElementById(id);

export function element(tag, className, ...content) {
	const node = document.createElement(tag);
	if (className) {
		node.className = className;
	}
	node.append(...content);
	return node;
}

/** Sets a text only if it differs, so that selections stay and screen readers do not repeat the text. */
export function setText(node, text) {
	if (node.textContent !== text) {
		node.textContent = text;
	}
}

/** Updates the children of a parent to match the items and their order. A node is reused if its key still exists. */
export function keyed(parent, items, keyOf, create, update) {
	const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
	items.forEach((item, index) => {
		const key = keyOf(item);
		let node = old.get(key);
		old.delete(key);
		if (!node) {
			node = create(item);
			node.dataset.key = key;
		}
		update(node, item);
		if (parent.children[index] !== node) {
			parent.insertBefore(node, parent.children[index] ?? null);
		}
	});
	old.forEach((node) => node.remove());
}

export function seconds(millis) {
	return `${(Math.max(0, millis) / 1000).toFixed(1)} s`;
}

const COLORS = 4;

const colors = new Map();

/** Creates a badge of an instance, whose colour stays the same on this page. */
export function badge(instance) {
	if (!colors.has(instance)) {
		colors.set(instance, colors.size % COLORS);
	}
	const node = element("span", "badge", instance);
	node.dataset.color = colors.get(instance);
	return node;
}

/** Runs an action when a button is pressed, one run at a time. The button is never disabled, so that it keeps the focus. */
export function onPress(button, action) {
	button.addEventListener("click", async () => {
		if (button.getAttribute("aria-disabled") !== "true") {
			button.setAttribute("aria-disabled", "true");
			await action();
			button.removeAttribute("aria-disabled");
		}
	});
}

export function say(node, text, good) {
	setText(node, text);
	node.classList.toggle("good", good);
	node.classList.toggle("bad", !good);
}
