/**
 * A ticket box office that runs in several instances: what an application looks like that
 * uses the locks.
 */
@NullMarked
package io.lockstarter.sample;

import org.jspecify.annotations.NullMarked;
