/**
 * Injection of faults into processes, Redis and the network.
 */
@NullMarked
package io.lockstarter.verification.history.nemesis;

import org.jspecify.annotations.NullMarked;
