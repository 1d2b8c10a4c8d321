/**
 * The locks behind the interfaces of other libraries.
 */
@NullMarked
package io.lockstarter.adapter;

import org.jspecify.annotations.NullMarked;
