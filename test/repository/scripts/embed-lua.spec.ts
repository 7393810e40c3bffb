import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { render, scriptName } from '../../../tools/embed-lua.mjs';
import { stripLua } from '../../../tools/lua/strip-lua.mjs';

const ROOT = join(import.meta.dirname, '../../..');
const REDIS = 'libs/lock/src/backends/redis';
const MODULE = `${REDIS}/protocol/scripts.generated.ts`;

describe('the embedding of Lua scripts', () => {
  it('names a script by its verb, without the number of keys', () => {
    expect(scriptName('claim-3.lua')).toBe('claim');
    expect(scriptName('renew-many-12.lua')).toBe('renewMany');
  });

  it('keeps the code and drops header, comments, indentation and empty lines', () => {
    const text = `--[[ renew: push the expiry.
KEYS 1 lock      Reply 1 renewed ]]
local a = 1 -- stays: it follows code

if a == 1 then
  -- goes
  return 'x -- y'
end
--[==[ one ]] line ]==] return 2
`;
    expect(stripLua(text)).toBe(
      "local a = 1 -- stays: it follows code\nif a == 1 then\nreturn 'x -- y'\nend\nreturn 2",
    );
  });

  it('leaves the lines of a long string alone', () => {
    expect(stripLua('local s = [[\n  -- text\n\n]]\n  return s')).toBe(
      'local s = [[\n  -- text\n\n]]\nreturn s',
    );
  });

  it('does not depend on the order of the folder or on line ends', () => {
    const one = ['b-1.lua', 'return 1\n'];
    const two = ['a-1.lua', 'return 2\n'];
    const windows = ['b-1.lua', 'return 1\r\n'];
    expect(render([one, two])).toBe(render([two, windows]));
  });

  it('writes a module whose hash is the one of the source, as the server computes it', async () => {
    const source = 'local it = \'single "and" double\' .. "\\\\"\nreturn it';
    const text = render([['say-it-1.lua', `--[[ header ]]\n  ${source.replace('\n', '\n  ')}\n`]]);
    const module = `data:text/javascript,${encodeURIComponent(text.replaceAll(' as const', ''))}`;
    const { scripts } = (await import(module)) as {
      scripts: Record<string, { source: string; sha1: string }>;
    };
    const sha1 = createHash('sha1').update(source).digest('hex');
    expect(scripts).toEqual({ sayIt: { source, sha1, sha1InCluster: sha1 } });
  });

  it('puts parts where scripts and parts name them, and tells when one is missing or includes itself', () => {
    const text = render([
      ['part-two.lua', '--[[ header ]]\nlocal two = 2\n'],
      ['part-one.lua', '--@include two\nlocal one = two - 1\n'],
      ['say-1.lua', 'if x then\n  --@include one\n  return one\nend\n'],
    ]);
    expect(text.match(/'.*\\n'|'end'/g)).toEqual([
      "'if x then\\n'",
      "'local two = 2\\n'",
      "'local one = two - 1\\n'",
      "'return one\\n'",
      "'end'",
    ]);
    expect(() => render([['say-1.lua', '--@include one']])).toThrow(/no part-one.lua/);
    expect(() =>
      render([
        ['part-one.lua', '--@include one'],
        ['say-1.lua', '--@include one'],
      ]),
    ).toThrow(/includes itself/);
  });

  it('gives a script that includes a part of clusters a second form, by what differs', async () => {
    const text = render([
      ['part-publish.lua', '--[[ header ]]\ntell(1)\n'],
      ['part-tag.lua', 'tag()\n'],
      ['part-cluster-publish.lua', '  --@include tag\n  tell(2)\n'],
      ['say-1.lua', 'if x then\n  --@include publish\nend\n'],
    ]);
    const { scripts, IN_CLUSTER } = (await import(
      `data:text/javascript,${encodeURIComponent(text.replaceAll(' as const', ''))}`
    )) as { scripts: { say: { sha1InCluster: string } }; IN_CLUSTER: string[][] };
    expect(IN_CLUSTER).toEqual([['tell(1)', 'tag()\ntell(2)']]);
    expect(scripts.say).toEqual({
      source: 'if x then\ntell(1)\nend',
      sha1: createHash('sha1').update('if x then\ntell(1)\nend').digest('hex'),
      sha1InCluster: createHash('sha1').update('if x then\ntag()\ntell(2)\nend').digest('hex'),
    });
    expect(() =>
      render([
        ['part-publish.lua', 'tell(1)'],
        ['part-cluster-publish.lua', 'tell(2)'],
        ['say-1.lua', 'tell(1)'],
      ]),
    ).toThrow(/without including it/);
  });

  it('refuses two files of one name, and a file without code', () => {
    expect(() =>
      render([
        ['claim-1.lua', 'return 1'],
        ['claim-2.lua', 'return 2'],
      ]),
    ).toThrow(/both be scripts.claim/);
    expect(() => render([['claim-1.lua', '-- nothing']])).toThrow(/no code/);
  });
});

describe('npm run embed', () => {
  const clone = mkdtempSync(join(tmpdir(), 'bedrock-embed-'));
  const embed = () => execFileSync(process.execPath, [join(clone, 'tools/embed-lua.mjs')]);
  const writtenAt = () => statSync(join(clone, MODULE)).mtimeMs;
  const textIn = (root: string) => readFileSync(join(root, MODULE), 'utf8');

  beforeAll(() => {
    for (const path of [
      'tools/embed-lua.mjs',
      'tools/lua',
      'libs/lock/src/core/queue-timing.ts',
      `${REDIS}/scripts`,
    ])
      cpSync(join(ROOT, path), join(clone, path), { recursive: true });
    mkdirSync(join(clone, REDIS, 'protocol'));
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  it('writes what the tests run, in a clone without packages', () => {
    embed();
    expect(textIn(clone)).toBe(textIn(ROOT));
  });

  it('writes again only after a change', () => {
    const before = writtenAt();
    embed();
    expect(writtenAt()).toBe(before);
    appendFileSync(join(clone, REDIS, 'scripts/inspect-1.lua'), 'return 1\n');
    embed();
    expect(textIn(clone)).not.toBe(textIn(ROOT));
  });
});
