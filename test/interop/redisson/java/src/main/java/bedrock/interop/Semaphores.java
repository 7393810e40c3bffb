package bedrock.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.function.Function;
import org.redisson.api.RSemaphore;

/** RSemaphore: permits without an owner. */
final class Semaphores implements Kind {
    private final Named<RSemaphore> semaphores;

    Semaphores(Function<String, RSemaphore> make) {
        semaphores = new Named<>(make);
    }

    @Override
    public Object ask(Request request) throws Exception {
        RSemaphore semaphore = semaphores.of(request);
        switch (request.verb()) {
            case "trySetPermits": // permits
                return semaphore.trySetPermits(request.number(0));
            case "addPermits": // permits
                semaphore.addPermits(request.number(0));
                return null;
            case "acquire": // permits
                semaphore.acquire(request.number(0));
                return null;
            case "tryAcquire": // permits wait
                return semaphore.tryAcquire(request.number(0), request.ms(1), MILLISECONDS);
            case "release": // permits
                semaphore.release(request.number(0));
                return null;
            case "drainPermits":
                return semaphore.drainPermits();
            case "availablePermits":
                return semaphore.availablePermits();
            default:
                return Kinds.unknown(request);
        }
    }

    @Override
    public Gate gate(Request request) {
        RSemaphore semaphore = semaphores.of(request);
        return new Gate() {
            @Override
            public long enter() throws InterruptedException {
                semaphore.acquire();
                return 0;
            }

            @Override
            public void leave() {
                semaphore.release();
            }
        };
    }
}
