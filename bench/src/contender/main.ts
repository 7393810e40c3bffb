import { loadLibrary } from '../libraries/loaders.js';
import { roleOf } from '../roles/roles.js';
import { WordChannel } from './channel.js';
import type { Assignment, FromContender, ToContender } from './messages.js';

/** Entry of a contender: one process for one library in one turn, so that libraries do not disturb each other. */
const channel = new WordChannel((word) => tell({ kind: 'word', word }));

process.on('message', (message: ToContender) => {
  if (message.kind === 'word') return channel.arrived(message.word);
  compete(message.assignment).catch((error: unknown) => tell({ kind: 'failed', reason: reasonOf(error) }));
});
// Without the bench, no process would end this one.
process.on('disconnect', () => process.exit(1));
// Ctrl-C reaches the whole group; the bench ends its contenders.
process.on('SIGINT', () => undefined);

async function compete({ library, role, terms, order }: Assignment): Promise<void> {
  const open = await loadLibrary(library);
  const lock = await open(terms);
  const act = await roleOf(role);
  const account = await act(lock, order as never, channel, (other) => open({ ...terms, ...other }));
  // Exits without closing the lock: some roles leave holders and waiters behind, and a library would wait for them.
  process.send?.({ kind: 'account', account } satisfies FromContender, () => process.exit(0));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function tell(message: FromContender): void {
  process.send?.(message);
}
