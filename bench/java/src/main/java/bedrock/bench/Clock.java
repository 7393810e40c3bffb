package bedrock.bench;

/** The clock that all processes of a machine share: on Linux System.nanoTime reads CLOCK_MONOTONIC, as Node.js does. */
final class Clock {
    static double sharedNowMs() {
        return System.nanoTime() / 1e6;
    }

    private Clock() {}
}
