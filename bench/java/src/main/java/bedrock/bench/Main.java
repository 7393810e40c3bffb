package bedrock.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.redisson.api.RedissonClient;

/**
 * A contender with Redisson: the same messages as those of src/contender/messages.ts, one JSON object per line of the
 * standard input and output. It ends with its account, or when the bench does.
 */
public final class Main {
    public static void main(String[] args) throws Exception {
        Line line = new Line(System.in, System.out);
        JsonNode assignment = line.assignment();
        line.listen();
        try {
            JsonNode terms = assignment.get("terms");
            RedissonClient redisson = Client.open(terms.get("url").asText());
            Role role = roleOf(assignment.get("role").asText());
            Map<String, ?> account =
                    role.act(redisson, terms.get("leaseMs").asLong(), assignment.get("order"), line);
            line.account(account);
        } catch (Throwable error) {
            line.failed(error.getClass().getSimpleName() + ": " + error.getMessage());
        }
        // Without closing the client: a role leaves waiters behind.
        Runtime.getRuntime().halt(0);
    }

    private static Role roleOf(String name) {
        return switch (name) {
            case "sale" -> new Sale();
            case "relay" -> new Relay();
            default -> throw new IllegalArgumentException("Redisson plays no " + name);
        };
    }

    private Main() {}
}
