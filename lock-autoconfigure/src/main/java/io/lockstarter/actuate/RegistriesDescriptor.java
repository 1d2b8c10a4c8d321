package io.lockstarter.actuate;

import java.util.Map;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Locks of one instance in several registries.
 *
 * @param registries the locks by the names of their registries
 */
public record RegistriesDescriptor(Map<String, LocksDescriptor> registries) implements OperationResponseBody {

}
