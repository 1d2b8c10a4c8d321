/**
 * Methods annotated with {@link io.lockstarter.annotation.DistributedLock}, which run
 * under their locks. An annotation is read into an attribute. For each call, the
 * attribute and the arguments result in a request to the registry.
 * <p>
 * The lock of a stage or a publisher belongs to an owner that is created for the call. A
 * nested call uses that owner only for locks that the owner holds, because concurrent
 * branches of a pipeline must exclude each other.
 */
@NullMarked
package io.lockstarter.aop;

import org.jspecify.annotations.NullMarked;
