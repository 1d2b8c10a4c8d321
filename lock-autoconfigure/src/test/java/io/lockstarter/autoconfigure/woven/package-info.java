/**
 * An application whose classes AspectJ weaves.
 */
package io.lockstarter.autoconfigure.woven;
