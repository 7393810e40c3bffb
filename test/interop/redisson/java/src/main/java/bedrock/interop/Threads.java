package bedrock.interop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Threads with names: a lock of Redisson belongs to the thread that took it. A name that is new starts a thread. */
final class Threads {
    private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();

    void on(String name, Runnable work) {
        threads.computeIfAbsent(name, fresh -> Executors.newSingleThreadExecutor()).execute(work);
    }
}
