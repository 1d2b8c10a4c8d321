/**
 * Methods annotated with {@link io.lockstarter.annotation.DistributedLock} run under
 * their lock: from the annotation to an attribute, from the attribute and the arguments
 * to a request, from the request to the registry.
 */
@NullMarked
package io.lockstarter.aop;

import org.jspecify.annotations.NullMarked;
