package bedrock.interop;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Drives Redisson by lines of text: {@code Main <redis url> <lock watchdog timeout, ms>}; the URLs of servers of a cluster
 * are joined by commas. One request per line of the
 * standard input, one answer per line of the standard output, in the order in which the work ends. The process ends at
 * once when its input does, so it never runs longer than its driver.
 */
public final class Main {
    /** The default of 7,500 does not last for a crowd on a busy machine. */
    private static final int SUBSCRIPTION_TIMEOUT_MS = 30_000;

    public static void main(String[] args) throws Exception {
        Config config = new Config();
        config.setLockWatchdogTimeout(Long.parseLong(args[1]));
        config.setThreads(4).setNettyThreads(4);
        String[] addresses = args[0].split(",");
        if (addresses.length > 1) {
            config.useClusterServers().addNodeAddress(addresses).setSubscriptionTimeout(SUBSCRIPTION_TIMEOUT_MS);
        } else {
            config.useSingleServer()
                    .setAddress(args[0])
                    .setConnectionMinimumIdleSize(4)
                    .setConnectionPoolSize(32)
                    .setSubscriptionTimeout(SUBSCRIPTION_TIMEOUT_MS);
        }
        RedissonClient redisson = Redisson.create(config);

        Kinds kinds = new Kinds(redisson);
        Threads threads = new Threads();
        Answers answers = new Answers(System.out);
        answers.ready(redisson.getId());

        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            Request request = Request.parse(line);
            if (request.verb().equals("halt")) break;
            threads.on(request.thread(), () -> answers.settle(request, kinds));
        }
        // As a crash has it: nothing is released, no hook runs.
        Runtime.getRuntime().halt(0);
    }
}
