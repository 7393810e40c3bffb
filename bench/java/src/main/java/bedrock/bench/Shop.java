package bedrock.bench;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.IntegerCodec;

/** One shelf behind one lock, and one sale of what is on it. */
final class Shop {
    record Terms(int buyers, int stock, long limitMs) {}

    private static final Duration KEPT = Duration.ofSeconds(600);

    private final RLock lock;
    private final RBucket<Integer> shelf;
    private final long leaseMs;
    private final Terms terms;
    private final AtomicInteger sold = new AtomicInteger();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final Sections sections = new Sections();
    private final CountDownLatch open = new CountDownLatch(1);
    private final List<Future<?>> buyers = new ArrayList<>();

    Shop(RedissonClient redisson, String key, long leaseMs, Terms terms) {
        lock = redisson.getLock(key);
        shelf = redisson.getBucket(key + "-stock", IntegerCodec.INSTANCE);
        this.leaseMs = leaseMs;
        this.terms = terms;
    }

    /** Ends with the last sale or with the time; who is still in the queue then buys nothing any more. */
    Map<String, ?> sell(ExecutorService threads) throws Exception {
        shelf.set(terms.stock(), KEPT);
        long from = System.nanoTime();
        for (int i = 0; i < terms.buyers(); i++) buyers.add(threads.submit(this::buy));
        open.await(terms.limitMs(), MILLISECONDS);
        open.countDown();
        long elapsed = System.nanoTime() - from;
        // Who was inside when the time was over still sells: it must be in the books before the stock is counted.
        while (inside.get() > 0) Thread.sleep(1);
        int left = shelf.get();
        return Map.of(
                "elapsedMs", elapsed / 1e6,
                "sold", sold.get(),
                "oversold", sold.get() - (terms.stock() - left),
                "overlaps", sections.overlaps(),
                "failures", failures.get());
    }

    /** Waits until nobody is in the queue. */
    void clear() throws Exception {
        for (Future<?> buyer : buyers) buyer.get();
    }

    private void buy() {
        try {
            lock.lock(leaseMs, MILLISECONDS);
            try {
                visit();
            } finally {
                lock.unlock();
            }
        } catch (RuntimeException failure) {
            failures.incrementAndGet();
        }
    }

    private void visit() {
        if (open.getCount() == 0) return;
        inside.incrementAndGet();
        long entered = System.nanoTime();
        try {
            int left = shelf.get();
            if (left > 0) {
                shelf.set(left - 1, KEPT);
                sold.incrementAndGet();
            }
        } finally {
            sections.add(entered, System.nanoTime());
            if (sold.get() >= terms.stock()) open.countDown();
            inside.decrementAndGet();
        }
    }
}
