/**
 * Annotation that runs a method under a lock.
 */
@NullMarked
package io.lockstarter.annotation;

import org.jspecify.annotations.NullMarked;
