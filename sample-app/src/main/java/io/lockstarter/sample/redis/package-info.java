/**
 * A Redis for those who have none. An application of yours does not need this package.
 */
@NullMarked
package io.lockstarter.sample.redis;

import org.jspecify.annotations.NullMarked;
