package bedrock.bench;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.UUID;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** One of two processes that pass a lock to and fro, as src/roles/relay.ts has it: the same words in the same order. */
final class Relay implements Role {
    /** Until a JVM has compiled what it does: a few hundred leave the hand-overs twice as slow. */
    private static final int CYCLES_ALONE = 5_000;

    private static final int CYCLES_OF_TWO = 1_000;

    @Override
    public Map<String, ?> act(RedissonClient redisson, long leaseMs, JsonNode order, Line line) throws Exception {
        String key = order.get("key").asText();
        warmUp(redisson.getLock(key + "-" + UUID.randomUUID()), leaseMs);
        line.ready();
        RLock lock = redisson.getLock(key);
        for (; ; ) {
            JsonNode word = line.hear();
            switch (word.get("do").asText()) {
                case "take" -> {
                    line.say(Map.of("is", "asking"));
                    lock.lock(leaseMs, MILLISECONDS);
                    line.say(Map.of("is", "granted", "at", Clock.sharedNowMs()));
                }
                case "pass" -> {
                    Thread.sleep(Math.round(word.get("afterMs").asDouble()));
                    double at = Clock.sharedNowMs();
                    lock.unlock();
                    line.say(Map.of("is", "passed", "at", at));
                }
                default -> {
                    return Map.of();
                }
            }
        }
    }

    /** Alone, and as one of two who wait for each other. */
    private static void warmUp(RLock lock, long leaseMs) throws Exception {
        cycle(lock, leaseMs, CYCLES_ALONE);
        Thread other = new Thread(() -> cycle(lock, leaseMs, CYCLES_OF_TWO));
        other.start();
        cycle(lock, leaseMs, CYCLES_OF_TWO);
        other.join();
    }

    private static void cycle(RLock lock, long leaseMs, int times) {
        for (int i = 0; i < times; i++) {
            lock.lock(leaseMs, MILLISECONDS);
            lock.unlock();
        }
    }
}
