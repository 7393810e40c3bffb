import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = join(tmpdir(), 'bedrock-servers.ports');

/**
 * Makes a port ours for as long as this process lives. The port of a server that was killed is free until it comes
 * back: without this another test's server could move in, and clients would take it for the one they have lost.
 */
export function reserve(port: number): boolean {
  const path = join(FOLDER, String(port));
  try {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  // It can be had next time: taking it now could race with another who finds the same.
  if (isForsaken(path)) rmSync(path, { force: true });
  return false;
}

function isForsaken(path: string): boolean {
  try {
    process.kill(Number(readFileSync(path, 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
