/**
 * Checks of the documentation about tests.
 */
package io.lockstarter.verification.docs;
