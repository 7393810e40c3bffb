/**
 * Another process for the specs, of another user where this one may become one: root becomes one without rights. It loads what
 * it needs first, since the other user may not be allowed to read this folder. Then it answers requests: `[what, argument]`.
 */
import { oneAtATime } from './dist/one-at-a-time.js';
import { reserve } from './dist/reserved-ports.js';

const NOBODY = 65_534;

if (process.getuid() === 0) {
  process.setgroups([]);
  process.setgid(NOBODY);
  process.setuid(NOBODY);
}

/** By one clock for all processes of a machine; as a string, because messages are JSON. */
const now = () => String(process.hrtime.bigint());

const answers = {
  uid: async () => process.getuid(),
  reserve,
  /** Answers once it has the turn, and keeps it until it gets the command to continue, or is killed. */
  hold: (name) =>
    new Promise((resolve, reject) => {
      const work = async () => {
        resolve('held');
        await new Promise((goOn) => (answers.goOn = async () => (goOn(), now())));
      };
      oneAtATime(name, work).catch(reject);
    }),
};

process.on('message', async ([what, argument]) => process.send(await answers[what](argument)));
process.on('disconnect', () => process.exit());
process.send('ready');
