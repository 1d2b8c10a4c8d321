package io.lockstarter.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the endpoint of locks, named like those of Spring Boot's own endpoints.
 *
 * @param showValues When to show the names of locks, which contain the values of keys.
 * @param roles Roles of users who may see the names of locks, if only authorized users
 * may. When empty, all authenticated users are authorized.
 */
@ConfigurationProperties("management.endpoint.locks")
record LocksEndpointProperties(@DefaultValue("always") Show showValues, @DefaultValue Set<String> roles) {

}
