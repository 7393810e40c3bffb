import { during, type Fault } from './fault.js';
import { NODE_TIMEOUT_MS } from './terms.js';

const HARM_MS = 500;

/** What a network does to those behind the proxies; the others notice nothing. */
export const NETWORK_FAULTS: readonly Fault[] = [
  {
    name: 'requests dropped',
    strike: ({ victims }) =>
      during(
        victims,
        HARM_MS,
        ({ proxy }) => proxy.dropRequests(),
        ({ proxy }) => proxy.dropRequests(false),
      ),
  },
  {
    name: 'replies dropped',
    strike: ({ victims }) =>
      during(
        victims,
        HARM_MS,
        ({ proxy }) => proxy.dropReplies(),
        ({ proxy }) => proxy.dropReplies(false),
      ),
  },
  {
    name: 'all delayed',
    // Around the time-out of a node, so that some is answered just in time, and some is executed after it was given up.
    strike: ({ victims, dice }) => {
      const ms = NODE_TIMEOUT_MS * dice.between(0.2, 1.5);
      return during(
        victims,
        HARM_MS,
        ({ proxy }) => proxy.delay(ms),
        ({ proxy }) => proxy.delay(0),
      );
    },
  },
  {
    name: 'connections cut',
    strike: ({ victims, strikes }) =>
      during(
        victims,
        HARM_MS / 2,
        async ({ proxy }) => {
          if (strikes % 2 === 1) await proxy.refuse();
          proxy.cut();
        },
        async ({ proxy }) => {
          proxy.cut();
          await proxy.accept();
        },
      ),
  },
];
