import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usesOf } from '../../../tools/lua/names.mjs';
import { partFaults } from '../../../tools/lua/part-headers.mjs';

const FOLDER = join(import.meta.dirname, '../../../libs/lock/src/backends/redis/scripts');

const CLOCK = ['part-clock.lua', "--@needs call\n--@sets now\nlocal now = call('TIME')[1]\n"] as const;
const SAY = ['say-1.lua', 'local call = redis.call\n--@include clock\nreturn now\n'] as const;
// Three scripts include the clock, so that it is not too small for a part.
const OTHERS = ['tell-1.lua', 'cry-1.lua'].map((file) => [file, SAY[1]] as const);

function faultsOf(...files: (readonly [string, string])[]): string[] {
  return partFaults([...files, ...OTHERS]);
}

function filesOfRedis(edit: (text: string, file: string) => string = (text) => text): [string, string][] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.lua'));
  return files.map((file) => [file, edit(readFileSync(join(FOLDER, file), 'utf8'), file)]);
}

describe('the headers of Lua parts', () => {
  it('are right in all parts of the Redis backend', () => {
    expect(partFaults(filesOfRedis())).toEqual([]);
  });

  it('are missed in each part that needs or sets a name', () => {
    const files = filesOfRedis();
    const lines = files.flatMap(([, text]) => text.match(/^--@(needs|sets) /gm) ?? []);
    const faults = partFaults(filesOfRedis((text) => text.replace(/^--@(needs|sets) .*\n/gm, '')));
    expect(lines.length).toBeGreaterThan(50);
    expect(faults).toHaveLength(lines.length);
  });

  it('list neither too little nor too much', () => {
    const withHeader = (needs: string, sets: string) =>
      faultsOf(['part-clock.lua', `${needs}${sets}local now = call('TIME')[1]\n`], SAY);
    expect(withHeader('--@needs call\n', '--@sets now\n')).toEqual([]);
    expect(withHeader('', '--@sets now\n')).toEqual([
      'part-clock.lua needs --@needs call in its header, and has no such line',
    ]);
    expect(withHeader('--@needs call, time\n', '--@sets now\n')).toHaveLength(1);
    expect(withHeader('--@needs call\n', '--@sets now, time\n')).toHaveLength(1);
    expect(withHeader('--@needs call\n', '--@sets time\n')).toHaveLength(1);
  });

  it('do not list a name that only the part itself reads', () => {
    const text = "--@needs call\n--@sets now\nlocal time = call('TIME')\nlocal now = time[1]\n";
    expect(faultsOf(['part-clock.lua', text], SAY)).toEqual([]);
  });

  it('list what included parts need and set, as far as it comes from outside and goes there', () => {
    const outer = ['part-outer.lua', '--@needs call\n--@sets now\n--@include clock\n'] as const;
    const say = ['say-1.lua', 'local call = redis.call\n--@include outer\nreturn now\n'] as const;
    expect(faultsOf(CLOCK, outer, say)).toEqual([
      'part-outer.lua has 1 lines of code: put them in its 1 includers',
    ]);
  });

  it.each([
    '--@include clock 2',
    '--@includes clock',
    '--@need call',
    '--@sets',
    '--@sets now',
    '--@take clock',
    '  --@sets now',
  ])('are not misspelt: %s', (line) => {
    expect(faultsOf(CLOCK, ['say-1.lua', `${line}\n${SAY[1]}`])).toEqual([
      `say-1.lua has a line that means nothing: ${line}`,
    ]);
  });

  it('list an outer local that the part assigns', () => {
    const fill = ['part-clock.lua', "--@needs call, now\n--@sets now\nnow = call('TIME')[1]\n"] as const;
    const text = 'local call, now = redis.call\n--@include clock\nreturn now\n';
    const scripts = ['a-1.lua', 'b-1.lua', 'c-1.lua'].map((file) => [file, text] as const);
    expect(partFaults([fill, ...scripts])).toEqual([]);
  });
});

describe('the order of Lua parts', () => {
  it('sets each name before its use', () => {
    const text =
      'if redis then\n  --@include clock\n  return now\nend\nlocal call = redis.call\nreturn call\n';
    expect(faultsOf(CLOCK, SAY, ['late-1.lua', text])).toEqual([
      'part-clock.lua in late-1.lua uses call, which is not set before',
    ]);
    const outOfReach = 'local call = redis.call\nif call then\n  --@include clock\nend\nreturn now\n';
    expect(faultsOf(CLOCK, SAY, ['late-1.lua', outOfReach])).toEqual([
      'late-1.lua uses now, which is not set before',
    ]);
  });

  it('sets what a stand-in needs, of a script and of a cluster', () => {
    const other = ['part-other.lua', '--@needs time\n--@sets now\nlocal now = time\n'] as const;
    const take = ['late-1.lua', `--@take clock from other\n${SAY[1]}`] as const;
    expect(faultsOf(CLOCK, other, take)).toEqual([
      'part-other.lua in late-1.lua uses time, which is not set before',
    ]);
    const cluster = ['part-cluster-clock.lua', other[1]] as const;
    expect(faultsOf(CLOCK, cluster, SAY)).toHaveLength(3);
  });

  it('is wrong in the Redis backend when the first two parts of a script change places', () => {
    const swapped = filesOfRedis((text, file) =>
      file === 'latch-down-2.lua' ? text.replace(/(--@include \w+\n)(--@include \w+\n)/, '$2$1') : text,
    );
    expect(partFaults(swapped)).toEqual([
      'part-count.lua in latch-down-2.lua uses call, which is not set before',
    ]);
  });
});

describe('a small Lua part', () => {
  it('is there for a substitution, or for three includers', () => {
    expect(faultsOf(CLOCK, SAY)).toEqual([]);
    const fault = ['part-clock.lua has 1 lines of code: put them in its 2 includers'];
    expect(partFaults([CLOCK, ...OTHERS])).toEqual(fault);
    const cluster = ['part-cluster-clock.lua', CLOCK[1]] as const;
    expect(partFaults([CLOCK, cluster, ...OTHERS])).toEqual([]);
    const take = ['take-1.lua', `--@take clock from mine\n${SAY[1]}`] as const;
    expect(partFaults([CLOCK, ['part-mine.lua', CLOCK[1]], take, SAY])).toEqual([]);
  });
});

describe('the names of a Lua text', () => {
  const freeOf = (text: string) =>
    usesOf(text)
      .filter(({ declaredAt }) => declaredAt === undefined)
      .map(({ name }) => name);

  it.each([
    ['local x = x', ['x']],
    ['local function f() return f end', []],
    ['local f = function() return f end', ['f']],
    ['for i = i, 2 do j = i end', ['i', 'j']],
    ['for _, x in ipairs(x) do x() end x()', ['ipairs', 'x', 'x']],
    ['repeat local done = true until done', []],
    ['while a do local a end return a', ['a', 'a']],
    ['if a then local b elseif b then return b else return c end', ['a', 'b', 'b', 'c']],
    ['do local a end a = 1', ['a']],
    ['function f(a, ...) return a, ... end', ['f']],
    ['local t = { k = 1, [k] = 2, k } return t.k, t[k], t:k(k)', ['k', 'k', 'k', 'k']],
    ['t.x = 1', ['t']],
    ['f"text" g{ h }', ['f', 'g', 'h']],
  ])('finds the free ones in %j', (text, names) => {
    expect(freeOf(text)).toEqual(names);
  });

  it('tells an assignment', () => {
    expect(usesOf('local a a, t.b = a').map(({ name, isWrite }) => [name, isWrite])).toEqual([
      ['a', false],
      ['a', true],
      ['t', false],
    ]);
  });
});
