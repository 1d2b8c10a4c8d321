/**
 * Locks in Reactor pipelines, held from subscription to termination or cancellation.
 */
@NullMarked
package io.lockstarter.reactor;

import org.jspecify.annotations.NullMarked;
