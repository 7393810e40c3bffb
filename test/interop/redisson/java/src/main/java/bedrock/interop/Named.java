package bedrock.interop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Objects of Redisson by name, made once as an application would: some remember the lease they were given. */
final class Named<T> {
    private final Map<String, T> made = new ConcurrentHashMap<>();
    private final Function<String, T> make;

    Named(Function<String, T> make) {
        this.make = make;
    }

    T of(Request request) {
        return made.computeIfAbsent(request.name(), make);
    }
}
