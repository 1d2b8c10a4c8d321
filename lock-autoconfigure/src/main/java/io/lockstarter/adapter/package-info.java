/**
 * Implementations of the lock interfaces of other libraries.
 */
@NullMarked
package io.lockstarter.adapter;

import org.jspecify.annotations.NullMarked;
