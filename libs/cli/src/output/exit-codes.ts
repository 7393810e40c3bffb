/**
 * How `bedrock` ends. Codes from 64 to 78 are those of sysexits.h; 126 and 127 are those of a shell. The code of a
 * command that has run passes through, and 128 + n stands for signal n.
 */
export const EXIT = {
  ok: 0,
  /** `doctor` has found at least one problem. */
  problems: 1,
  /** Wrong arguments, or a name that holds something else than a lock. */
  usage: 64,
  /** The backend could not be reached, and the command was not started. */
  unavailable: 69,
  /** The command was not started, since the lock was not granted. */
  conflict: 75,
  /** The lock was lost while the command was running. */
  lost: 76,
  notExecutable: 126,
  notFound: 127,
} as const;

/** Added to the number of the signal that ended a command. */
export const SIGNALLED = 128;
