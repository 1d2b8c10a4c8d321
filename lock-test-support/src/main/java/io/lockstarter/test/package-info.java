/**
 * What tests of an application need to see its locks, and to have them as the test wants.
 */
@NullMarked
package io.lockstarter.test;

import org.jspecify.annotations.NullMarked;
