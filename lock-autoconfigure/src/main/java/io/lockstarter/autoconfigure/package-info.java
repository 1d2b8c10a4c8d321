/**
 * Auto-configuration, properties and failure analysis.
 */
@NullMarked
package io.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
