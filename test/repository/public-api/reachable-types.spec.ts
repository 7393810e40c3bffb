import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEntries } from '../../../tools/public-api.mjs';
import { unreachableTypes } from './reachable-types.js';

describe('the types of the public API', () => {
  it('can all be imported: what a signature needs is exported by an entry that its own one leads to', () => {
    // The main entry leads to both, so they cannot lead to it.
    const companions = {
      'bedrock-lock/backend': 'bedrock-lock',
      'bedrock-lock/integration': 'bedrock-lock',
    };
    expect(unreachableTypes(readEntries(), companions)).toEqual([]);
  });
});

describe('the check of reachable types', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bedrock-types-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const drawer =
    'export interface Coin { readonly cents: number }\nexport interface Drawer { coins(): Coin[] }';
  const kiosk = `import type { Drawer } from './drawer.js';\nexport interface Kiosk { readonly drawer: Drawer }`;
  const till = `export type { Coin, Drawer } from './drawer.js';`;

  /** Each file but the drawer is an entry. */
  const check = (name: string, files: Record<string, string>, companions?: Record<string, string>) => {
    const place = join(folder, name);
    mkdirSync(place);
    for (const [file, text] of Object.entries({ drawer, ...files })) {
      writeFileSync(join(place, `${file}.d.ts`), text);
    }
    const entries = Object.keys(files).map((entry) => [entry, join(place, `${entry}.d.ts`)] as const);
    return unreachableTypes(new Map(entries), companions);
  };

  it('finds a type that no entry exports', () => {
    expect(check('nowhere', { kiosk })).toEqual(['kiosk: Kiosk needs Drawer']);
  });

  it('follows an exported type to those that it needs', () => {
    const shown = `${kiosk}\nexport type { Drawer };`;
    expect(check('further', { kiosk: shown })).toEqual(['kiosk: Drawer needs Coin']);
  });

  it('wants an entry that this one leads to, since the compiler knows no other', () => {
    expect(check('apart', { kiosk, till })).toEqual(['kiosk: Kiosk needs Drawer']);
    expect(check('beside', { kiosk, till }, { kiosk: 'till' })).toEqual([]);
    expect(check('together', { kiosk: `${kiosk}\nexport type {} from './till.js';`, till })).toEqual([]);
  });

  it('sees parameters, results, bases and import types, and nothing private', () => {
    const text = `export {};
      import { Drawer } from './drawer.js';
      declare class Base { readonly drawer: Drawer }
      interface Hidden { readonly at: number }
      interface Shown { readonly at: number }
      export declare class Till extends Base {
        #locked: Hidden;
        private readonly key: Hidden;
        open(drawer: Shown): void;
        protected shut(): import('./drawer.js').Coin;
      }`;
    expect(check('forms', { till: text })).toEqual([
      'till: Till needs Base',
      'till: Till needs Shown',
      'till: Till needs Coin',
    ]);
  });

  it('looks through an alias that its file keeps for itself', () => {
    const text = `export {};
      import { Coin } from './drawer.js';
      type Purse = readonly Coin[] | readonly Purse[];
      export declare const purse: Purse;`;
    expect(check('aliases', { purse: text })).toEqual(['purse: purse needs Coin']);
  });

  it('leaves type parameters alone, and bases that a call has made', () => {
    const text = `export {};
      declare const Base: new () => object;
      export declare class List<T> extends Base { first<U extends T>(other: U): T | U }`;
    expect(check('nameless', { list: text })).toEqual([]);
  });
});
