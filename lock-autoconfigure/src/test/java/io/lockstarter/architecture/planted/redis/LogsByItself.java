package io.lockstarter.architecture.planted.redis;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Waits for the log.
 */
class LogsByItself {

	private static final Log logger = LogFactory.getLog(LogsByItself.class);

	void log() {
		logger.warn("A disk is full");
	}

}
