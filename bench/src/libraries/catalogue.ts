/** Every row that a table may have, and how it is called there. */
const TITLES = {
  alone: 'the body alone',
  raw: 'raw',
  'raw-scripts': 'raw scripts',
  bedrock: 'Bedrock',
  'bedrock-run': 'Bedrock run',
  'bedrock-nest': 'Bedrock decorated',
  'bedrock-no-tokens': 'Bedrock, no tokens',
  'bedrock-guarded': 'Bedrock, restartGuard',
  'redlock-4': 'redlock 4',
  'redlock-5': 'redlock 5 beta',
  'sesamecare-redlock': '@sesamecare-oss/redlock',
  'redis-semaphore': 'redis-semaphore',
  'redlock-universal': 'redlock-universal',
  verrou: 'verrou',
  'async-mutex': 'async-mutex (in process)',
} as const;

export type LibraryName = keyof typeof TITLES;

export const LIBRARY_NAMES = Object.keys(TITLES) as readonly LibraryName[];

/** The others that lock over processes. */
export const PEERS = [
  'redlock-4',
  'redlock-5',
  'sesamecare-redlock',
  'redis-semaphore',
  'redlock-universal',
  'verrou',
] as const satisfies readonly LibraryName[];

export function titleOf(library: LibraryName): string {
  return TITLES[library];
}
