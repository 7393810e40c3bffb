import { expect, it } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { tryAll, type Parameter } from './bad-values.js';

const NUMBERS_FROM_0 = ['Infinity', '0', '0.5'];
const TEXTS = ['"5"', '*', ':', '__proto__', '{a}{b}'];
const OBJECTS = ['an object'];

const fresh = (options: object): Bedrock => new Bedrock({ backend: memory(), ...options });
const any = (value: unknown): never => value as never;

const bedrockOptions: Parameter[] = [
  { name: 'Bedrock options', field: /^(options|backend)/, good: [], use: (v) => new Bedrock(any(v)) },
  { name: 'backend', field: 'backend', good: [], use: (v) => new Bedrock({ backend: any(v) }) },
  {
    name: 'prefix',
    field: 'prefix',
    good: ['undefined', 'empty text', ...TEXTS],
    use: (v) => fresh({ prefix: v }),
  },
  {
    name: 'defaults',
    field: /^(defaults|options)/,
    good: ['undefined', ...OBJECTS],
    use: (v) => fresh({ defaults: v }),
  },
  {
    name: 'close graceMs',
    field: 'graceMs',
    good: ['undefined', ...NUMBERS_FROM_0],
    use: (v) => fresh({}).close({ graceMs: any(v) }),
  },
  { name: 'clock', field: 'clock', good: ['undefined'], use: (v) => fresh({ clock: v }) },
  {
    name: 'handOver',
    field: /^handOver/,
    good: ['undefined', 'an object'],
    use: (v) => fresh({ handOver: v }),
  },
  {
    name: 'quantumMs',
    field: 'handOver.quantumMs',
    good: ['undefined', '0', '0.5'],
    use: (v) => fresh({ handOver: { quantumMs: v } }),
  },
  {
    name: 'quantumGrants',
    field: 'handOver.quantumGrants',
    good: ['undefined'],
    use: (v) => fresh({ handOver: { quantumGrants: v } }),
  },
  {
    name: 'maxWaitersPerProcess',
    field: 'maxWaitersPerProcess',
    good: ['undefined'],
    use: (v) => fresh({ maxWaitersPerProcess: v }),
  },
  {
    name: 'closeGraceMs',
    field: 'closeGraceMs',
    good: ['undefined', ...NUMBERS_FROM_0],
    use: (v) => fresh({ closeGraceMs: v }),
  },
  {
    name: 'memory options',
    field: /^options/,
    good: ['undefined', ...OBJECTS],
    use: (v) => memory(any(v)),
  },
  { name: 'memory store', field: 'store', good: ['undefined'], use: (v) => memory({ store: any(v) }) },
  {
    name: 'memory label',
    field: 'label',
    good: ['undefined', 'empty text', ...TEXTS, '{', '}', '{}', 'a reserved prefix'],
    use: (v) => memory({ label: any(v) }),
  },
  {
    name: 'memory maxLeaseMs',
    field: 'maxLeaseMs',
    good: ['undefined'],
    use: (v) => memory({ maxLeaseMs: any(v) }),
  },
  { name: 'memory clock', field: 'clock', good: ['undefined'], use: (v) => memory({ clock: any(v) }) },
];

it.each(bedrockOptions.map((parameter) => [parameter.name, parameter] as const))(
  'a Bedrock and its backend in memory refuse every bad %s by name',
  async (_name, parameter) => {
    expect(await tryAll(parameter)).toEqual([]);
  },
);

it('a Bedrock refuses a misspelt option instead of ignoring it', () => {
  expect(() => new Bedrock({ backend: memory(), retries: 3 } as never)).toThrow(/retries/);
});
