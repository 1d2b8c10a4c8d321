/**
 * The registry's implementation: local queues, held locks and the watchdog. Asynchronous
 * at heart; blocking calls wait on it.
 */
@NullMarked
package io.lockstarter.engine;

import org.jspecify.annotations.NullMarked;
