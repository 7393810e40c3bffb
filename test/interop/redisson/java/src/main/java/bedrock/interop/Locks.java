package bedrock.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.function.Function;
import org.redisson.api.RLock;

/** Whatever is an RLock. A lease that is left out is the watchdog's: it is renewed. */
final class Locks implements Kind {
    private final Named<RLock> locks;

    Locks(Function<String, RLock> make) {
        locks = new Named<>(make);
    }

    @Override
    public Object ask(Request request) throws Exception {
        return ask(locks.of(request), request);
    }

    @Override
    public Gate gate(Request request) {
        RLock lock = locks.of(request);
        return new Gate() {
            @Override
            public long enter() {
                lock.lock();
                return 0;
            }

            @Override
            public void leave() {
                lock.unlock();
            }
        };
    }

    static Object ask(RLock lock, Request request) throws Exception {
        switch (request.verb()) {
            case "lock": // [lease]
                if (request.has(0)) lock.lock(request.ms(0), MILLISECONDS);
                else lock.lock();
                return null;
            case "tryLock": // wait [lease]
                return request.has(1)
                        ? lock.tryLock(request.ms(0), request.ms(1), MILLISECONDS)
                        : lock.tryLock(request.ms(0), MILLISECONDS);
            case "unlock":
                lock.unlock();
                return null;
            case "forceUnlock":
                return lock.forceUnlock();
            case "isLocked":
                return lock.isLocked();
            case "isHeld":
                return lock.isHeldByCurrentThread();
            case "holdCount":
                return lock.getHoldCount();
            case "remainingMs":
                return lock.remainTimeToLive();
            default:
                return Kinds.unknown(request);
        }
    }
}
