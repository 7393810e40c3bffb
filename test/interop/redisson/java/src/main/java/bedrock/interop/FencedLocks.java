package bedrock.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.function.Function;
import org.redisson.api.RFencedLock;

/** RFencedLock: an RLock, and tokens. */
final class FencedLocks implements Kind {
    private final Named<RFencedLock> locks;

    FencedLocks(Function<String, RFencedLock> make) {
        locks = new Named<>(make);
    }

    @Override
    public Object ask(Request request) throws Exception {
        RFencedLock lock = locks.of(request);
        switch (request.verb()) {
            case "lockAndGetToken": // [lease]
                return request.has(0)
                        ? lock.lockAndGetToken(request.ms(0), MILLISECONDS)
                        : lock.lockAndGetToken();
            case "tryLockAndGetToken": // wait [lease]
                return request.has(1)
                        ? lock.tryLockAndGetToken(request.ms(0), request.ms(1), MILLISECONDS)
                        : lock.tryLockAndGetToken(request.ms(0), MILLISECONDS);
            case "token":
                return lock.getToken();
            default:
                return Locks.ask(lock, request);
        }
    }

    @Override
    public Gate gate(Request request) {
        RFencedLock lock = locks.of(request);
        return new Gate() {
            @Override
            public long enter() {
                return lock.lockAndGetToken();
            }

            @Override
            public void leave() {
                lock.unlock();
            }
        };
    }
}
