/**
 * Records what many JVMs believe of their locks while faults strike, and checks it.
 */
@NullMarked
package io.lockstarter.verification.history;

import org.jspecify.annotations.NullMarked;
