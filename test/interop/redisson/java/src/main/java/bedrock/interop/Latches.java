package bedrock.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.function.Function;
import org.redisson.api.RCountDownLatch;

/** RCountDownLatch. */
final class Latches implements Kind {
    private final Named<RCountDownLatch> latches;

    Latches(Function<String, RCountDownLatch> make) {
        latches = new Named<>(make);
    }

    @Override
    public Object ask(Request request) throws Exception {
        RCountDownLatch latch = latches.of(request);
        switch (request.verb()) {
            case "trySetCount": // count
                return latch.trySetCount(request.number(0));
            case "countDown":
                latch.countDown();
                return null;
            case "await": // wait
                return latch.await(request.ms(0), MILLISECONDS);
            case "count":
                return latch.getCount();
            default:
                return Kinds.unknown(request);
        }
    }
}
