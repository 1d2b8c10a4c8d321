/**
 * Browser for the tests of pages in all modules.
 */
@NullMarked
package io.lockstarter.browser;

import org.jspecify.annotations.NullMarked;
