/**
 * Methods annotated with {@link io.lockstarter.annotation.DistributedLock} run under
 * their lock: from the annotation to an attribute, from the attribute and the arguments
 * to a request, from the request to the registry.
 * <p>
 * The lock of a stage or a publisher belongs to an owner made for the call. A nested call
 * uses that owner only for locks that it holds: branches of a pipeline that run at once
 * must exclude each other.
 */
@NullMarked
package io.lockstarter.aop;

import org.jspecify.annotations.NullMarked;
