package bedrock.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.redisson.api.RedissonClient;

/**
 * All buyers come at once; each takes the lock, reads the stock, and writes it back less one if there is any. As
 * src/roles/sale.ts has it, but that the threads of a pool serve the buyers, as in a service of Java: a thread for each
 * buyer is slower by far, and waiters of {@code lockAsync} stop at times until a lease has ended.
 */
final class Sale implements Role {
    private static final int THREADS = 64;
    /** A JVM interprets at first: purchases/s grow over some 20 small sales. The last one is as large as what counts. */
    private static final int SMALL_SALES = 30;

    private static final Shop.Terms SMALL = new Shop.Terms(200, 100, 1_000);

    @Override
    public Map<String, ?> act(RedissonClient redisson, long leaseMs, JsonNode order, Line line) throws Exception {
        String key = order.get("key").asText();
        Shop.Terms terms = new Shop.Terms(
                order.get("buyers").asInt(), order.get("stock").asInt(), order.get("limitMs").asLong());
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        for (int i = 0; i <= SMALL_SALES; i++) {
            Shop shop = new Shop(redisson, key + "-warm-" + i, leaseMs, i < SMALL_SALES ? SMALL : terms);
            shop.sell(threads);
            shop.clear();
        }
        System.gc();
        line.ready();
        return new Shop(redisson, key, leaseMs, terms).sell(threads);
    }
}
