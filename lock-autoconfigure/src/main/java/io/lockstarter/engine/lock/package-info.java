/**
 * What happens to one name in this JVM: queue, hand-over, asking, waiting, releasing.
 */
@NullMarked
package io.lockstarter.engine.lock;

import org.jspecify.annotations.NullMarked;
