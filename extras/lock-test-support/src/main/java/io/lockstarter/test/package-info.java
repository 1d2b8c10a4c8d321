/**
 * Support for tests of applications: assertions about locks, and locks in memory.
 */
@NullMarked
package io.lockstarter.test;

import org.jspecify.annotations.NullMarked;
