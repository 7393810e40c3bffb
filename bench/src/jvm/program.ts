import { delimiter, join } from 'node:path';

/** The Java side of the bench: a Maven project of its own. */
export const JAVA_SIDE = join(import.meta.dirname, '../../java');

/** The JVM that `JAVA_BIN` names, else the first on PATH. */
export function javaProgram(): string {
  return process.env['JAVA_BIN'] || 'java';
}

/** Arguments that start a contender in a JVM, with default compiler and collector. */
export function javaArguments(): readonly string[] {
  const target = join(JAVA_SIDE, 'target');
  const classpath = [join(target, 'classes'), join(target, 'lib', '*')].join(delimiter);
  return [
    '-Xms256m',
    '-Xmx512m',
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    '-classpath',
    classpath,
    'bedrock.bench.Main',
  ];
}
