package io.lockstarter.architecture.planted.timer;

import io.lockstarter.architecture.planted.autoconfigure.Assembly;

/**
 * Uses what nothing may use.
 */
class UsesAutoconfigure {

	Assembly assembly;

}
