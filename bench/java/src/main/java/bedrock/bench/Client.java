package bedrock.bench;

import java.net.URI;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

/**
 * A client of Redisson as it is fastest on one machine with its server: a thread of each kind per core and few
 * connections. With its defaults, 48 threads and 64 connections, it spends more on changing threads.
 */
final class Client {
    private static final int CONNECTIONS = 8;

    static RedissonClient open(String url) {
        int cores = Runtime.getRuntime().availableProcessors();
        Config config = new Config().setThreads(cores).setNettyThreads(cores);
        SingleServerConfig server = config.useSingleServer()
                .setAddress(url)
                .setConnectionMinimumIdleSize(CONNECTIONS)
                .setConnectionPoolSize(CONNECTIONS);
        // Redisson takes user and password from an address, and not the number of the database.
        String path = URI.create(url).getPath();
        if (path != null && path.matches("/\\d+")) server.setDatabase(Integer.parseInt(path.substring(1)));
        return Redisson.create(config);
    }

    private Client() {}
}
