package io.lockstarter.core.backend;

/**
 * Id of a tenure: one span in which one client holds a lock. Ids are never reused,
 * because the client's id is random and the sequence only rises.
 *
 * @param client the client's id, 32 hexadecimal digits
 * @param sequence the number of the tenure, from 1; no tenure has number 0
 */
public record TenureId(String client, long sequence) {

	@Override
	public String toString() {
		return this.client + ":" + this.sequence;
	}

}
