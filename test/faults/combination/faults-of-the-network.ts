import { during, type Fault } from './fault.js';
import { NODE_TIMEOUT_MS } from './settings.js';

const FAULT_MS = 500;

/** What a network does to those behind the proxies; the others notice nothing. */
export const NETWORK_FAULTS: readonly Fault[] = [
  {
    name: 'requests dropped',
    inject: ({ targets }) =>
      during(
        targets,
        FAULT_MS,
        ({ proxy }) => proxy.dropRequests(),
        ({ proxy }) => proxy.dropRequests(false),
      ),
  },
  {
    name: 'replies dropped',
    inject: ({ targets }) =>
      during(
        targets,
        FAULT_MS,
        ({ proxy }) => proxy.dropReplies(),
        ({ proxy }) => proxy.dropReplies(false),
      ),
  },
  {
    name: 'all delayed',
    // Around the time-out of a node, so that some is answered just in time, and some is executed after it was given up.
    inject: ({ targets, random }) => {
      const ms = NODE_TIMEOUT_MS * random.between(0.2, 1.5);
      return during(
        targets,
        FAULT_MS,
        ({ proxy }) => proxy.delay(ms),
        ({ proxy }) => proxy.delay(0),
      );
    },
  },
  {
    name: 'connections cut',
    inject: ({ targets, round }) =>
      during(
        targets,
        FAULT_MS / 2,
        async ({ proxy }) => {
          if (round % 2 === 1) await proxy.refuse();
          proxy.cut();
        },
        async ({ proxy }) => {
          proxy.cut();
          await proxy.accept();
        },
      ),
  },
];
