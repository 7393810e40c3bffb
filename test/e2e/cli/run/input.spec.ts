import { describe, expect, it } from '@jest/globals';
import { bedrock } from '../bedrock-command.js';

describe('bedrock run with wrong arguments', () => {
  it.each<[string, string[], RegExp]>([
    [
      'no URL',
      ['run', 'x', '--', 'true'],
      /^error: give the URL of the backend by --url, or in BEDROCK_URL\n$/,
    ],
    [
      'a variable that is not set',
      ['run', '--url-env', 'NONE', 'x', '--', 'true'],
      /--url-env names "NONE", which is not set/,
    ],
    ['two URLs', ['run', '--url', 'a', '--url-env', 'B', 'x', '--', 'true'], /either --url or --url-env/],
    [
      'no URL at all',
      ['run', '--url', 'secret-word', 'x', '--', 'true'],
      /^error: the URL must begin with redis:/,
    ],
    [
      'another scheme',
      ['run', '--url', 'ftp://u:secret-word@h', 'x', '--', 'true'],
      /must begin with .+; got ftp:\/\/\n$/,
    ],
    [
      'an option of another engine',
      ['run', '--url', 'redis://127.0.0.1:9', '--root', '/a', 'x', '--', 'true'],
      /^error: --root is an option of zookeeper, not of redis\n$/,
    ],
    [
      'a time without a unit',
      ['run', '--url', 'redis://127.0.0.1:9', '--wait', '5', 'x', '--', 'true'],
      /--wait must be a time such as 500ms/,
    ],
    [
      'a lease that is too short',
      ['run', '--url', 'redis://127.0.0.1:9', '--lease', '1ms', 'x', '--', 'true'],
      /^error: --lease must be .+; got 1\n$/,
    ],
    [
      'an empty name',
      ['run', '--url', 'redis://127.0.0.1:9', '', '--', 'true'],
      /^error: the name of the lock must be a non-empty string/,
    ],
    [
      'a name that is reserved',
      ['run', '--url', 'redis://127.0.0.1:9', 'bedrock_x', '--', 'true'],
      /^error: the name of the lock must be/,
    ],
    [
      'no command',
      ['run', '--url', 'redis://127.0.0.1:9', 'x'],
      /^error: the command and its arguments go behind --: /,
    ],
    [
      'a command without --',
      ['run', '--url', 'redis://127.0.0.1:9', 'x', 'ls', '-l'],
      /^error: the command and its arguments go behind --: /,
    ],
    ['an exit code that is none', ['run', '--conflict-exit-code', '256', 'x', '--', 'true'], /from 0 to 255/],
    ['a verb that is none', ['rum', 'x'], /unknown command 'rum'[^]*run/],
  ])('has 64 for %s', async (_what, args, message) => {
    const { code, stdout, stderr } = await bedrock(args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('secret-word');
  });
});
