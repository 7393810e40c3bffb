import { UnsupportedByBackendError } from '../../../../core/errors.js';
import { BACKEND } from '../connection/failures.js';
import { isFault } from '../connection/link.js';
import type { ZooKeeperPaths } from '../session/zookeeper-paths.js';
import type { ZooKeeperSessions } from '../session/zookeeper-sessions.js';

/** Most names that are listed: an answer of about 10 MB. */
const MAX_NAMES = 100_000;

/** The names of all queues: the server has no pages. @throws UnsupportedByBackendError for too many */
export async function readNames({
  paths,
  sessions,
}: {
  readonly paths: ZooKeeperPaths;
  readonly sessions: ZooKeeperSessions;
}): Promise<readonly string[]> {
  const { link } = await sessions.any();
  try {
    const { childCount } = (await link.read(paths.locks)).stat;
    if (childCount > MAX_NAMES) {
      const what = `a list of ${childCount} locks (at most ${MAX_NAMES})`;
      throw new UnsupportedByBackendError(BACKEND, what, 'ask for one by its name');
    }
    return (await link.children(paths.locks)).names.map((name) => paths.resourceOf(name));
  } catch (error) {
    if (isFault(error, 'NO_NODE')) return [];
    throw error;
  }
}
