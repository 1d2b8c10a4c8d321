/**
 * Script calls that are followed by WAIT.
 */
@NullMarked
package io.lockstarter.redis.replication;

import org.jspecify.annotations.NullMarked;
