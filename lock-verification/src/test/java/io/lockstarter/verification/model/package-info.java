/**
 * Searches small models of the protocol, which run its real scripts, for what must never
 * happen.
 */
@NullMarked
package io.lockstarter.verification.model;

import org.jspecify.annotations.NullMarked;
