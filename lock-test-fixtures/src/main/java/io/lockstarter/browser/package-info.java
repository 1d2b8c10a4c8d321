/**
 * A browser for the tests of pages, in other modules as well.
 */
@NullMarked
package io.lockstarter.browser;

import org.jspecify.annotations.NullMarked;
