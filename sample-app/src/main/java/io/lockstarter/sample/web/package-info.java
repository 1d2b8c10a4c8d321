/**
 * HTTP interface of the box office.
 */
@NullMarked
package io.lockstarter.sample.web;

import org.jspecify.annotations.NullMarked;
