/**
 * What the documentation shows is true.
 */
package io.lockstarter.docs;
