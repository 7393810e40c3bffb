import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { oneAtATime } from './one-at-a-time.js';

const run = promisify(execFile);
const MADE_WITHIN_MS = 60_000;
const OTHERS_MAY_WRITE = 0o022;

export interface DataTemplate {
  readonly name: string;
  /** The server; its data fit no other version. */
  readonly program: string;
  /** The owner of the data that root makes. @default this user */
  readonly owner?: number | undefined;
  /** Makes the data of a new server in the folder `data` of `folder`: program and arguments. */
  command(folder: string): readonly [string, ...string[]];
}

/**
 * The data of a server that was never started: making them takes longer than copying them. They are made once for this user
 * and this version of the server, and stay in the temporary folder for the next run.
 * @returns the folder to copy
 * @throws Error with what the program said
 */
export async function dataTemplate({ name, program, owner, command }: DataTemplate): Promise<string> {
  const { stdout: version } = await run(program, ['--version']);
  const recipe = JSON.stringify([program, version, owner, command('')]);
  const key = createHash('sha256').update(recipe).digest('hex').slice(0, 16);
  const folder = join(ownFolder(), `${name}-${key}`);
  await oneAtATime(folder, async () => {
    if (existsSync(folder)) return;
    // Under its name only when it is whole: this process may be killed in the middle.
    const unfinished = mkdtempSync(`${folder}.`);
    try {
      if (owner !== undefined) chownSync(unfinished, owner, owner);
      const [installer, ...args] = command(unfinished);
      await run(installer, args, { cwd: unfinished, timeout: MADE_WITHIN_MS, maxBuffer: 16 << 20 });
      renameSync(unfinished, folder);
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      throw error;
    }
  });
  return join(folder, 'data');
}

/**
 * Of this user alone: files that another user could have put there are not run. Readable, because root has servers run
 * as a user without rights.
 */
function ownFolder(): string {
  const uid = process.getuid?.();
  const folder = join(tmpdir(), `bedrock-servers.${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & OTHERS_MAY_WRITE) !== 0)
    throw new Error(`${folder} is not a folder of this user alone: remove it`);
  chmodSync(folder, 0o755); // Whatever the mask of this process.
  return folder;
}
