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

/** Makes a parent's children those of the items, in their order, and keeps nodes whose key stays. */
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

/** An instance, in a colour that stays the same on this page. */
export function badge(instance) {
	if (!colors.has(instance)) {
		colors.set(instance, colors.size % COLORS);
	}
	const node = element("span", "badge", instance);
	node.dataset.color = colors.get(instance);
	return node;
}

/** Does something when a button is pressed, once at a time. The button keeps the focus: it is never disabled. */
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
