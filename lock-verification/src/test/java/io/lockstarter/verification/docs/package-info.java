/**
 * What the documentation says of tests.
 */
package io.lockstarter.verification.docs;
