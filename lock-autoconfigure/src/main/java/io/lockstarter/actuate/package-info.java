/**
 * Locks in the Actuator of Spring Boot.
 */
@NullMarked
package io.lockstarter.actuate;

import org.jspecify.annotations.NullMarked;
