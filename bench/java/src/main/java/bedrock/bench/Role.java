package bedrock.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.redisson.api.RedissonClient;

/** What a contender does in a scenario, from the warm-up to its account; what src/roles holds for the others. */
interface Role {
    /** @return the figures of its account by name */
    Map<String, ?> act(RedissonClient redisson, long leaseMs, JsonNode order, Line line) throws Exception;
}
