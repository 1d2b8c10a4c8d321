package io.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.OnPropertyListCondition;

/**
 * Condition that matches when the servers of a quorum are configured.
 */
class OnQuorumNodesCondition extends OnPropertyListCondition {

	OnQuorumNodesCondition() {
		super("distributed-lock.quorum.nodes", () -> ConditionMessage.forCondition("Quorum of Redis servers"));
	}

}
