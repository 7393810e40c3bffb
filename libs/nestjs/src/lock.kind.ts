import { InvalidOptionError } from 'bedrock-lock';

/** What a registration makes. */
export type LockKind = 'mutex';

const KINDS: readonly LockKind[] = ['mutex'];

/** @throws InvalidOptionError naming `field`, with the kinds that there are */
export function checkKind(field: string, kind: unknown): LockKind {
  if (KINDS.includes(kind as LockKind)) return kind as LockKind;
  throw new InvalidOptionError(field, `one of ${KINDS.join(', ')}`, kind);
}
