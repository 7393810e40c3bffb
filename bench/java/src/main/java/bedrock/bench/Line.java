package bedrock.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The end of a line to the bench. Words that nobody waits for yet are kept. */
final class Line {
    private final ObjectMapper json = new ObjectMapper();
    private final BlockingQueue<JsonNode> heard = new LinkedBlockingQueue<>();
    private final BufferedReader in;
    private final PrintStream out;

    Line(InputStream in, PrintStream out) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        this.out = out;
    }

    /** The first message: what this process is for. */
    JsonNode assignment() throws IOException {
        return json.readTree(in.readLine()).get("assignment");
    }

    /** Hears words from now on, on a thread of its own. Without the bench nobody would end this process. */
    void listen() {
        Thread listener = new Thread(() -> {
            try {
                for (String text = in.readLine(); text != null; text = in.readLine()) {
                    heard.add(json.readTree(text).get("word"));
                }
            } catch (IOException broken) {
                // The bench has gone in the middle of a word.
            }
            Runtime.getRuntime().halt(1);
        });
        listener.setDaemon(true);
        listener.start();
    }

    JsonNode hear() throws InterruptedException {
        return heard.take();
    }

    void say(Object word) throws IOException {
        tell(Map.of("kind", "word", "word", word));
    }

    /** Tells that all is warm, and waits for the start. */
    void ready() throws Exception {
        say("ready");
        hear();
    }

    void account(Map<String, ?> account) throws IOException {
        tell(Map.of("kind", "account", "account", account));
    }

    void failed(String reason) throws IOException {
        tell(Map.of("kind", "failed", "reason", reason));
    }

    private synchronized void tell(Map<String, ?> message) throws IOException {
        out.println(json.writeValueAsString(message));
        out.flush();
    }
}
