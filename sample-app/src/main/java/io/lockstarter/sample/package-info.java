/**
 * Ticket box office that runs in several instances, as an example of an application that
 * uses the locks.
 */
@NullMarked
package io.lockstarter.sample;

import org.jspecify.annotations.NullMarked;
