/**
 * Searches for faults in small models of the protocol, which run the actual scripts.
 */
@NullMarked
package io.lockstarter.verification.model;

import org.jspecify.annotations.NullMarked;
