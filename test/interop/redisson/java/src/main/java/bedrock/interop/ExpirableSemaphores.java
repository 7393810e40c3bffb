package bedrock.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.List;
import java.util.function.Function;
import org.redisson.api.RPermitExpirableSemaphore;

/** RPermitExpirableSemaphore: permits with an id and a lease. Several ids travel as one text, one per line. */
final class ExpirableSemaphores implements Kind {
    private static final long CROWD_LEASE_MS = 30_000;

    private final Named<RPermitExpirableSemaphore> semaphores;

    ExpirableSemaphores(Function<String, RPermitExpirableSemaphore> make) {
        semaphores = new Named<>(make);
    }

    @Override
    public Object ask(Request request) throws Exception {
        RPermitExpirableSemaphore semaphore = semaphores.of(request);
        switch (request.verb()) {
            case "trySetPermits": // permits
                return semaphore.trySetPermits(request.number(0));
            case "setPermits": // permits
                semaphore.setPermits(request.number(0));
                return null;
            case "addPermits": // permits
                semaphore.addPermits(request.number(0));
                return null;
            case "acquire": // permits [lease]
                return lines(request.has(1)
                        ? semaphore.acquire(request.number(0), request.ms(1), MILLISECONDS)
                        : semaphore.acquire(request.number(0)));
            case "tryAcquire": // permits wait lease; null when there are not enough
                return lines(semaphore.tryAcquire(
                        request.number(0), request.ms(1), request.ms(2), MILLISECONDS));
            case "release": // ids
                semaphore.release(request.text(0).lines().toList());
                return null;
            case "tryRelease": // ids
                return semaphore.tryRelease(request.text(0).lines().toList());
            case "updateLeaseTime": // id lease
                return semaphore.updateLeaseTime(request.text(0), request.ms(1), MILLISECONDS);
            case "leaseTime": // id
                return semaphore.getLeaseTime(request.text(0));
            case "permits":
                return semaphore.getPermits();
            case "acquiredPermits":
                return semaphore.acquiredPermits();
            case "availablePermits":
                return semaphore.availablePermits();
            default:
                return Kinds.unknown(request);
        }
    }

    @Override
    public Gate gate(Request request) {
        RPermitExpirableSemaphore semaphore = semaphores.of(request);
        ThreadLocal<String> permit = new ThreadLocal<>();
        return new Gate() {
            @Override
            public long enter() throws InterruptedException {
                permit.set(semaphore.acquire(CROWD_LEASE_MS, MILLISECONDS));
                return 0;
            }

            @Override
            public void leave() {
                semaphore.release(permit.get());
            }
        };
    }

    private static String lines(List<String> ids) {
        return ids == null || ids.isEmpty() ? null : String.join("\n", ids);
    }
}
