/**
 * Application that has only the dashboard as an additional dependency.
 */
@NullMarked
package io.lockstarter.fresh;

import org.jspecify.annotations.NullMarked;
