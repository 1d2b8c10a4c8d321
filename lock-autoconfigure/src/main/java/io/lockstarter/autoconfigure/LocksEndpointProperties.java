package io.lockstarter.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the endpoint of locks, named as those of Boot's own endpoints.
 *
 * @param showValues When to show the names of locks, which are made from the values of
 * keys.
 * @param roles Roles of those who may see the names of locks, where only the authorized
 * may. When empty, all authenticated users are authorized.
 */
@ConfigurationProperties("management.endpoint.locks")
record LocksEndpointProperties(@DefaultValue("always") Show showValues, @DefaultValue Set<String> roles) {

}
