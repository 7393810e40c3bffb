import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bashCompletion } from 'bedrock-servers';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { bedrock, MAIN } from './bedrock-command.js';

const VERBS = [
  'bench',
  'completion',
  'doctor',
  'help',
  'ls',
  'nodes',
  'processes',
  'release',
  'revoke',
  'run',
];

let folder: string;

/** A folder with `bedrock`, as it is on the PATH of a user. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bedrock-completion-'));
  const program = join(folder, 'bedrock');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(program, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The words that a shell offers. */
async function offered(shell: string, args: readonly string[], script: string): Promise<readonly string[]> {
  const PATH = `${folder}${delimiter}${process.env['PATH']}`;
  const { stdout } = await promisify(execFile)(shell, [...args, '-c', script], {
    env: { ...process.env, NODE_OPTIONS: '', PATH, HOME: folder },
  });
  return stdout.trimEnd().split('\n').filter(Boolean).sort();
}

const inBash = (line: string): Promise<readonly string[]> =>
  offered(
    'bash',
    ['--norc'],
    `source '${bashCompletion()}'
     eval "$(bedrock completion bash)"
     COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDS=(${line.replace(/ $/, " ''")})
     COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMP_TYPE=9
     compopt() { :; }
     __bedrock_complete
     printf '%s\\n' "\${COMPREPLY[@]}"`,
  );

const inZsh = async (line: string): Promise<readonly string[]> => {
  const words = await offered(
    'zsh',
    ['-f'],
    `compdef() { :; }
     eval "$(bedrock completion zsh)"
     _describe() { print -l -- $completions }
     words=(${line.replace(/ $/, " ''")}) CURRENT=\${#words}
     _bedrock`,
  );
  return words.map((word) => word.split(':', 1)[0]!);
};

const inFish = async (line: string): Promise<readonly string[]> => {
  const words = await offered(
    'fish',
    ['--no-config'],
    `bedrock completion fish | source; complete -C '${line}'`,
  );
  return words.map((word) => word.split('\t', 1)[0]!);
};

describe.each([
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
])('the completion of %s', (_shell, inShell) => {
  it('offers verbs, and the options of a verb', async () => {
    expect(await inShell('bedrock ')).toEqual(expect.arrayContaining(VERBS));
    expect(await inShell('bedrock rev')).toEqual(['revoke']);
    expect(await inShell('bedrock doctor --through')).toEqual(['--through-pooler']);
    expect(await inShell('bedrock run --hold')).toEqual(['--hold-at-least']);
  }, 60_000);
});

it('bedrock completion refuses another shell', async () => {
  const { code, stderr } = await bedrock(['completion', 'tcsh']);
  expect([code, stderr]).toEqual([64, expect.stringContaining('zsh, bash, fish')]);
});
