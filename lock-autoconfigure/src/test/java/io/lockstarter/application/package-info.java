/**
 * Locks in whole applications: on their threads, on their schedules, with what they have
 * on the class path.
 */
@NullMarked
package io.lockstarter.application;

import org.jspecify.annotations.NullMarked;
