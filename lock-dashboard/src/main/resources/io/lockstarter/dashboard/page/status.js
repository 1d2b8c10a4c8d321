import { clock, reason } from "./words.js";

/** An answer older than this says nothing about now: one period, and time for a slow network. */
const FRESH_MILLIS = 3500;

/** What is known of the present, and in words how sure that is. */
export function assess(instance, cluster) {
	const name = instance.data?.instance ?? cluster.data?.instance ?? "This instance";
	if (!instance.data) {
		return instance.failure === null ? { state: "connecting", text: "Connecting…", instance: false, cluster: false } : cutOff(instance, name);
	}
	if (instance.failure === null && instance.age() > FRESH_MILLIS && performance.now() - instance.startedAt < FRESH_MILLIS) {
		return { state: "connecting", text: `Connecting again… What is shown is from ${clock(instance.receivedOn)}.`, instance: false, cluster: false };
	}
	if (instance.failure !== null || instance.age() > FRESH_MILLIS) {
		return cutOff(instance, name);
	}
	return { instance: true, ...assessCluster(cluster, name) };
}

function cutOff(instance, name) {
	const shown = instance.data ? ` What is shown is from ${clock(instance.receivedOn)}.` : " Nothing is known.";
	if (instance.failure === "signed out") {
		return { state: "signed-out", text: `You are not logged in any more, or may not see this. Load the page again.${shown}`, instance: false, cluster: false };
	}
	const since = instance.data ? ` since ${clock(instance.receivedOn)}` : "";
	return { state: "cut-off", text: `This page is cut off: ${name} has not answered it${since}.${shown}`, instance: false, cluster: false };
}

function assessCluster(cluster, name) {
	const { data } = cluster;
	const waits = cluster.pendingSince !== null && performance.now() - cluster.pendingSince > FRESH_MILLIS;
	if (!data) {
		return waits || cluster.failure !== null
			? { state: "redis-down", text: `${name} answers, but has not heard from Redis. What other instances hold is not known.`, cluster: false }
			: { state: "connecting", text: "Asking Redis…", cluster: false };
	}
	if (!data.locks) {
		return { state: "redis-down", text: `${data.instance} ${reason(data.failure?.reason)}${details(data)}. ${lastSeen(cluster)}`, cluster: false };
	}
	if (cluster.failure !== null || cluster.age() > FRESH_MILLIS) {
		return { state: "redis-down", text: `Redis has not answered ${data.instance} since ${clock(cluster.receivedOn)}. ${lastSeen(cluster)}`, cluster: false };
	}
	if (data.error) {
		return { state: "trouble", text: `Redis can be read, but takes no locks from ${data.instance} now: ${data.error}`, cluster: true };
	}
	if (data.renewalsFailing > 0) {
		return { state: "trouble", text: `Live, but ${data.instance} fails to renew ${data.renewalsFailing} of its leases.`, cluster: true };
	}
	if (!data.up) {
		return { state: "trouble", text: `Live, but ${data.instance} hears no messages from Redis: locks work, and pass on more slowly.`, cluster: true };
	}
	return { state: "live", text: `Live, as ${data.instance} sees it.`, cluster: true };
}

function details({ failure, error }) {
	const detail = failure?.detail || error;
	return detail ? ` (${detail})` : "";
}

function lastSeen(cluster) {
	return cluster.lastGood
		? `What it holds itself is true now; what others hold is from ${clock(cluster.lastGood.receivedOn)}.`
		: "What it holds itself is true now; what others hold is not known.";
}
