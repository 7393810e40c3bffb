package bedrock.interop;

import java.util.List;

/** {@code <id> <thread> <kind> <name> <verb> <argument>...}; what an argument means is the verb's. */
record Request(String id, String thread, String kind, String name, String verb, List<String> arguments) {
    static Request parse(String line) {
        List<String> words = Words.split(line);
        return new Request(
                words.get(0), words.get(1), words.get(2), words.get(3), words.get(4), words.subList(5, words.size()));
    }

    boolean has(int at) {
        return arguments.size() > at;
    }

    String text(int at) {
        return arguments.get(at);
    }

    int number(int at) {
        return Integer.parseInt(text(at));
    }

    long ms(int at) {
        return Long.parseLong(text(at));
    }
}
