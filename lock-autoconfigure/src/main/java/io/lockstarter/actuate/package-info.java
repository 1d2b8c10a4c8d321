/**
 * Integration of locks with Spring Boot Actuator.
 */
@NullMarked
package io.lockstarter.actuate;

import org.jspecify.annotations.NullMarked;
