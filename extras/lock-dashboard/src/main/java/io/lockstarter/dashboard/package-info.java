/**
 * Page that shows the locks of all instances.
 */
@NullMarked
package io.lockstarter.dashboard;

import org.jspecify.annotations.NullMarked;
