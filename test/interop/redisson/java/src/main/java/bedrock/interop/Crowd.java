package bedrock.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Threads that go through a gate again and again: {@code crowd <threads> <sections of each> <length, ms> [<file>]}. The
 * file holds a number, which each section reads and writes back plus one, so that a lost update shows. The answer has
 * one line per section: when its thread asked, was let in, began to leave and had left, as System.nanoTime has it, and
 * the token.
 */
final class Crowd {
    static String run(Kind kind, Request request) throws Exception {
        int threads = request.number(0);
        int sections = request.number(1);
        long lengthMs = request.ms(2);
        Path counter = request.has(3) ? Path.of(request.text(3)) : null;
        Gate gate = kind.gate(request);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<List<String>>> members = new ArrayList<>();
            Callable<List<String>> member = () -> visits(gate, sections, lengthMs, counter);
            for (int i = 0; i < threads; i++) members.add(pool.submit(member));
            List<String> all = new ArrayList<>();
            for (Future<List<String>> visits : members) all.addAll(visits.get());
            return String.join("\n", all);
        } finally {
            pool.shutdownNow();
        }
    }

    private static List<String> visits(Gate gate, int sections, long lengthMs, Path counter) throws Exception {
        List<String> visits = new ArrayList<>(sections);
        for (int i = 0; i < sections; i++) {
            long asked = System.nanoTime();
            long token = gate.enter();
            long entered = System.nanoTime();
            if (counter != null) increment(counter);
            if (lengthMs > 0) Thread.sleep(lengthMs);
            long leaving = System.nanoTime();
            gate.leave();
            visits.add(asked + " " + entered + " " + leaving + " " + System.nanoTime() + " " + token);
        }
        return visits;
    }

    private static void increment(Path counter) throws Exception {
        long count = Long.parseLong(Files.readString(counter));
        Files.writeString(counter, Long.toString(count + 1));
    }

    private Crowd() {}
}
