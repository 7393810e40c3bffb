import { fork, spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { javaArguments, javaProgram } from '../jvm/program.js';
import type { LibraryName } from '../libraries/catalogue.js';
import type { FromContender, ToContender } from './messages.js';

/** Suppresses a warning in every process about the version of etcd, which the page already states. */
const FLAGS = ['--expose-gc', '--disable-warning=BEDROCK_ETCD_VERSION'];
const ENTRY = fileURLToPath(new URL('./main.js', import.meta.url));

/** The process of a contender. Its messages to and from the bench are the same for every runtime. */
export interface ContenderProcess {
  readonly child: ChildProcess;
  /** Does nothing after the process has ended. */
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

/** A JVM exchanges one JSON object per line with the bench. */
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
