package io.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.OnPropertyListCondition;

/**
 * Matches when the servers of a quorum are named.
 */
class OnQuorumNodesCondition extends OnPropertyListCondition {

	OnQuorumNodesCondition() {
		super("distributed-lock.quorum.nodes", () -> ConditionMessage.forCondition("Quorum of Redis servers"));
	}

}
