package bedrock.interop;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Lines of words, percent-encoded as JavaScript's encodeURIComponent does it, so that a word may hold any text. */
final class Words {
    static List<String> split(String line) {
        return Arrays.stream(line.split(" ")).map(Words::decode).toList();
    }

    static String encode(Object value) {
        return URLEncoder.encode(String.valueOf(value), StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String decode(String word) {
        return URLDecoder.decode(word, StandardCharsets.UTF_8);
    }

    private Words() {}
}
