/**
 * The box office over HTTP.
 */
@NullMarked
package io.lockstarter.sample.web;

import org.jspecify.annotations.NullMarked;
