/**
 * What Spring Boot's Actuator shows of locks.
 */
@NullMarked
package io.lockstarter.actuate;

import org.jspecify.annotations.NullMarked;
