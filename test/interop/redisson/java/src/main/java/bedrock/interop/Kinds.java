package bedrock.interop;

import java.util.HashMap;
import java.util.Map;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Every type of lock and synchronizer of Redisson, by the word that requests use. */
final class Kinds {
    private final Map<String, Kind> kinds = new HashMap<>();

    Kinds(RedissonClient redisson) {
        kinds.put("lock", new Locks(redisson::getLock));
        kinds.put("fair", new Locks(redisson::getFairLock));
        kinds.put("spin", new Locks(redisson::getSpinLock));
        kinds.put("read", new Locks(name -> redisson.getReadWriteLock(name).readLock()));
        kinds.put("write", new Locks(name -> redisson.getReadWriteLock(name).writeLock()));
        kinds.put("multi", new Locks(names -> redisson.getMultiLock(
                names.lines().map(redisson::getLock).toArray(RLock[]::new))));
        kinds.put("fenced", new FencedLocks(redisson::getFencedLock));
        kinds.put("semaphore", new Semaphores(redisson::getSemaphore));
        kinds.put("expirable", new ExpirableSemaphores(redisson::getPermitExpirableSemaphore));
        kinds.put("latch", new Latches(redisson::getCountDownLatch));
    }

    Object ask(Request request) throws Exception {
        Kind kind = kinds.get(request.kind());
        if (kind == null) throw new IllegalArgumentException("no kind " + request.kind());
        return request.verb().equals("crowd") ? Crowd.run(kind, request) : kind.ask(request);
    }

    static Object unknown(Request request) {
        throw new IllegalArgumentException(request.kind() + " knows no " + request.verb());
    }
}
