/**
 * Breaks processes, Redis and the network between them.
 */
@NullMarked
package io.lockstarter.verification.history.nemesis;

import org.jspecify.annotations.NullMarked;
