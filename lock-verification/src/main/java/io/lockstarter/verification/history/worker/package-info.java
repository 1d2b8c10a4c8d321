/**
 * The JVMs that take locks and write down what they believe.
 */
@NullMarked
package io.lockstarter.verification.history.worker;

import org.jspecify.annotations.NullMarked;
