/**
 * Embedded Redis for the sample. Other applications do not need this package.
 */
@NullMarked
package io.lockstarter.sample.redis;

import org.jspecify.annotations.NullMarked;
