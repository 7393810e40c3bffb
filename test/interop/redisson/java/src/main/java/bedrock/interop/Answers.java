package bedrock.interop;

import java.io.PrintStream;

/**
 * {@code <id> ok <began> <ended> [<value>]} or {@code <id> error <began> <ended> <class> <message>}; times are those of
 * System.nanoTime, which on Linux is CLOCK_MONOTONIC, as Node's process.hrtime is.
 */
final class Answers {
    private final PrintStream out;

    Answers(PrintStream out) {
        this.out = out;
    }

    void ready(String clientId) {
        write("ready ok 0 0 " + Words.encode(clientId));
    }

    void settle(Request request, Kinds kinds) {
        long began = System.nanoTime();
        try {
            Object value = kinds.ask(request);
            String times = began + " " + System.nanoTime();
            write(request.id() + " ok " + times + (value == null ? "" : " " + Words.encode(value)));
        } catch (Throwable error) {
            String times = began + " " + System.nanoTime();
            String what = error.getClass().getSimpleName() + " " + Words.encode(error.getMessage());
            write(request.id() + " error " + times + " " + what);
        }
    }

    private synchronized void write(String line) {
        out.println(line);
        out.flush();
    }
}
