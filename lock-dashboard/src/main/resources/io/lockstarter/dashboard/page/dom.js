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

/** Makes a parent's children those of the items, in their order; keeps nodes whose key stays, and the focus within them. */
export function keyed(parent, items, keyOf, create, update) {
	const focused = parent.contains(document.activeElement) ? document.activeElement : null;
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
	if (focused !== document.activeElement && parent.contains(focused)) {
		// A node that moves loses the focus
		focused.focus({ preventScroll: true });
	}
}
