/** What the endpoint shows instead of a name that is to be hidden. */
const HIDDEN = "******";

const LONG_WAIT_MILLIS = 10_000;
const LONG_HOLD_MILLIS = 60_000;
const RECENT_LOSS_MILLIS = 300_000;

/** The longest lease that was seen of a hold, which is what its bar is measured by. */
const fullLeases = new Map();

/** Puts together what Redis tells of all instances, and what this instance knows better. */
export function merge(instance, lastGood, known) {
	const locks = new Map();
	const add = (key, name) => {
		if (!locks.has(key)) {
			locks.set(key, { key, name, hidden: name === HIDDEN, holders: [], waitingInstances: null, queue: [], elsewhere: [], group: null, lossAge: null });
		}
		return locks.get(key);
	};
	if (lastGood) {
		addSightings(lastGood, known.cluster, add);
	}
	if (instance.data?.locks) {
		addOwn(instance, lastGood, known.instance, add);
	}
	if (lastGood) {
		addElsewhere(lastGood, instance.data?.instance, known.cluster, locks);
	}
	const all = [...locks.values()];
	// Redis tells of all locks that are held, and nobody waits for others
	all.filter(({ holders }) => known.cluster && holders.length === 0).forEach((lock) => (lock.waitingInstances ??= 0));
	all.forEach(judge);
	return all.sort((one, other) => other.trouble.rank - one.trouble.rank || one.name.localeCompare(other.name));
}

function addSightings({ data, askedAt }, known, add) {
	const age = performance.now() - askedAt;
	data.locks.locks.forEach(({ name, holders, waitingInstances }, index) => {
		const lock = add(name === HIDDEN ? `${name}${index}` : name, name);
		lock.waitingInstances = waitingInstances;
		lock.stale = !known;
		for (const { owner, heldForMillis, remainingLeaseMillis, fencingToken, permits } of holders) {
			const [holder, ...thread] = owner.split("/");
			lock.holders.push({ instance: holder, thread: thread.join("/"), heldFor: heldForMillis + (known ? age : 0), remaining: remainingLeaseMillis - age,
				token: fencingToken, permits, watchdog: null, own: false, stale: !known });
		}
	});
}

function addOwn({ data, askedAt }, lastGood, known, add) {
	const age = performance.now() - askedAt;
	// What is not known to go on is told as it was
	const since = (instant) => Date.parse(data.now) - Date.parse(instant) + (known ? age : 0);
	const name = data.instance ?? lastGood?.data.instance ?? "this instance";
	const taken = new Map();
	for (const hold of data.locks.held) {
		if (hold.name === HIDDEN) {
			// Which of the hidden ones it is cannot be told; Redis tells of it as well
			continue;
		}
		const lock = add(hold.name, hold.name);
		if (!taken.has(lock)) {
			taken.set(lock, lock.holders.filter((holder) => holder.instance === name));
		}
		const sighted = taken.get(lock);
		const same = sighted.find(({ token }) => token === hold.fencingToken) ?? (hold.permits === 1 ? sighted[0] : undefined);
		if (same) {
			lock.holders.splice(lock.holders.indexOf(same), 1);
			sighted.splice(sighted.indexOf(same), 1);
		}
		lock.group = hold.group;
		if (hold.permits === 1 && hold.type !== "read" && !settle(lock, since(hold.since), age, lastGood)) {
			continue;
		}
		lock.holders.push({ instance: name, thread: hold.owner, heldFor: since(hold.since), remaining: hold.remainingLeaseMillis - age,
			token: hold.fencingToken, permits: hold.permits, watchdog: hold.watchdog, own: true, stale: !known });
	}
	for (const request of data.locks.waiting) {
		const lock = add(request.name, request.name);
		lock.group ??= request.group;
		lock.queue.push({ thread: request.owner, waited: since(request.since), position: request.position, stale: !known });
	}
	for (const { name: lost, kind, at } of data.troubles) {
		const lossAge = since(at);
		if (kind.startsWith("LOST") && lossAge < RECENT_LOSS_MILLIS && lost !== HIDDEN) {
			const lock = add(lost, lost);
			lock.lossAge = Math.min(lock.lossAge ?? Infinity, lossAge);
		}
	}
}

/** Who waits on other instances that tell, as far as that is not outdated; the longest first. */
function addElsewhere({ data, askedAt }, here, known, locks) {
	for (const { report, own, heardMillis, silent } of data.roll.instances) {
		// The answers of a load balancer come from several instances: then the names tell which is this one
		if (silent || (here === undefined || here === data.instance ? own : report.instance === here)) {
			continue;
		}
		const age = performance.now() - askedAt + heardMillis;
		for (const { name, group, owner, millis } of report.waits) {
			// Which of the hidden ones it is cannot be told, and what nobody holds is not waited for any more
			const lock = name === HIDDEN ? undefined : locks.get(name);
			if (lock && waitsStill(lock, report.instance, age)) {
				lock.group ??= group;
				lock.elsewhere.push({ instance: report.instance, thread: owner, waited: millis + (known ? age : 0), stale: !known });
			}
		}
	}
	locks.forEach(({ elsewhere }) => elsewhere.sort((one, other) => other.waited - one.waited));
}

/** Redis does not tell who waits on the instance that holds the lock; one that got it after it told may not wait any more. */
function waitsStill({ holders, waitingInstances }, instance, age) {
	const holds = holders.filter((holder) => holder.instance === instance);
	return holds.length > 0 ? holds.every(({ heldFor }) => heldFor >= age) : holders.length > 0 && waitingInstances !== 0;
}

/**
 * Two looks at different moments may find a lock that passed on meanwhile with two holders. Drops the other holders where
 * the own hold began after Redis was asked; tells that the own one is outdated where another began after this instance was.
 */
function settle(lock, heldFor, age, lastGood) {
	if (lastGood && heldFor < performance.now() - lastGood.askedAt) {
		lock.holders = [];
		// Known again when Redis has been asked again
		lock.waitingInstances = null;
	}
	return lock.holders.every((other) => other.stale || other.heldFor >= age);
}

/** Says what is wrong with a lock, the worst first. */
function judge(lock) {
	lock.holders.forEach((holder) => {
		const key = `${lock.key} ${holder.instance} ${holder.token}`;
		holder.full = Math.max(holder.remaining, fullLeases.get(key) ?? 1);
		fullLeases.set(key, holder.full);
	});
	lock.longestWait = Math.max(0, ...lock.queue.concat(lock.elsewhere).map(({ waited }) => waited));
	lock.longestHold = Math.max(0, ...lock.holders.map(({ heldFor }) => heldFor));
	lock.permits = Math.max(1, ...lock.holders.map(({ permits }) => permits));
	const waited = lock.waitingInstances > 0 || lock.queue.length > 0 || lock.elsewhere.length > 0;
	const troubles = [
		[6, lock.lossAge !== null, "lost lately"],
		[5, lock.holders.some(({ watchdog }) => watchdog === "failing"), "renewals are failing"],
		[3, lock.longestWait >= LONG_WAIT_MILLIS, "waited for long"],
		[2, waited && lock.longestHold >= LONG_HOLD_MILLIS, "held for long while others wait"],
	].filter(([, applies]) => applies);
	lock.trouble = troubles.length > 0 ? { rank: troubles[0][0], words: troubles.map(([, , words]) => words) } : { rank: waited ? 1 : 0, words: [] };
}

/** Forgets the leases of holds that are gone. */
export function forgetLeases(locks) {
	const present = new Set(locks.flatMap((lock) => lock.holders.map(({ instance, token }) => `${lock.key} ${instance} ${token}`)));
	for (const key of fullLeases.keys()) {
		if (!present.has(key)) {
			fullLeases.delete(key);
		}
	}
}
