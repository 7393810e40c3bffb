import { fork, spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { javaArguments, javaProgram } from '../jvm/program.js';
import type { LibraryName } from '../libraries/catalogue.js';
import type { FromContender, ToContender } from './messages.js';

/** Of etcd, a warning in every process would tell what the page tells: the version. */
const FLAGS = ['--expose-gc', '--disable-warning=BEDROCK_ETCD_VERSION'];
const ENTRY = fileURLToPath(new URL('./main.js', import.meta.url));

/** The process of a contender. What passes between it and the bench is the same, whatever runs in it. */
export interface ContenderProcess {
  readonly child: ChildProcess;
  /** A process that has ended is told nothing. */
  readonly tell: (message: ToContender) => void;
  readonly onMessage: (listener: (message: FromContender) => void) => void;
}

export function startProcess(library: LibraryName): ContenderProcess {
  return library === 'redisson' ? startJava() : startNode();
}

function startNode(): ContenderProcess {
  const child = fork(ENTRY, { serialization: 'advanced', execArgv: FLAGS });
  return {
    child,
    tell: (message) => void (child.connected && child.send(message)),
    onMessage: (listener) => void child.on('message', listener),
  };
}

/** A JVM is told, and tells, one JSON object per line. */
function startJava(): ContenderProcess {
  const child = spawn(javaProgram(), javaArguments(), { stdio: ['pipe', 'pipe', 'inherit'] });
  // It may end before it has read everything.
  child.stdin.on('error', () => undefined);
  return {
    child,
    tell: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    onMessage: (listener) =>
      void createInterface(child.stdout).on('line', (text) => listener(JSON.parse(text) as FromContender)),
  };
}
