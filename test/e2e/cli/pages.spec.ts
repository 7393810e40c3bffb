import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { eventually } from 'bedrock-testkit';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bedrock } from './bedrock-command.js';
import { PATIENT } from './doctor/findings.js';
import { LocksFixture } from './locks-fixture.js';
import { startCombination } from './engine-targets.js';

/**
 * The outputs on docs/cli.md are those of real runs, in which names, numbers and times of the machine are replaced. With
 * BEDROCK_WRITE_PAGES=1 they are written to the page.
 */
const PAGE = join(import.meta.dirname, '../../../docs/cli.md');
const isWriting = process.env['BEDROCK_WRITE_PAGES'] === '1';

/** The output behind the line ```text of <command>. */
function block(command: string): RegExp {
  return new RegExp(`(\`\`\`text of ${command.replaceAll(/[[\]<>]/g, '\\$&')}\n)([^\`]*)(\`\`\`)`);
}

/** What differs from machine to machine, by what stands on the page. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/the application/g, 'storefront'],
  [/\b\d+@[\w.-]+/g, '4711@shop-3'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:6379'],
  [/(Redis|Valkey) \d+\.\d+\.\d+/g, 'Redis 7.0.15'],
  [/\b\d+(\.\d+)? ms\b/g, '0.4 ms'],
  [/\b\d+(\.\d+)? s\b/g, '24.3 s'],
];

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
/** In their order, the ids of an output. */
const IDS = ['5f0c2f6e-3c1b-4e0f-9a51-7f3f2b6f9d10', '9b1e6c1a-52b7-4f4c-8c1e-0d6a7f5b2e31'];
const FIRST_PID = 4_711;

function replaced(text: string): string {
  const ids = [...new Set(text.match(UUID))];
  const known = text.replaceAll(UUID, (id) => IDS[ids.indexOf(id)]!);
  return REPLACED.reduce((result, [pattern, value]) => result.replaceAll(pattern, value), known);
}

/** A table with its cells replaced, in columns of their width again. */
function table(text: string): string {
  const [head = '', ...others] = text.trimEnd().split('\n');
  const starts = Array.from(head.matchAll(/\S+( \S+)*/g), ({ index }) => index);
  const cells = [head, ...others].map((line) =>
    starts.map((start, at) => line.slice(start, starts[at + 1]).trim()),
  );
  const names = cells[0]!;
  const known = cells.map((row, line) =>
    row.map((cell, at) => {
      if (line > 0 && names[at] === 'PID') return String(FIRST_PID + line - 1);
      return line > 0 && names[at] === 'HOST' ? 'shop-3' : cell;
    }),
  );
  const rows = replaced(known.map((row) => row.join('\t')).join('\n'))
    .split('\n')
    .map((row) => row.split('\t'));
  const widths = starts.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at]!)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function expectOnPage(command: string, output: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [, , shown] = block(command).exec(page) ?? [];
  if (isWriting) writeFileSync(PAGE, page.replace(block(command), `$1${output.replaceAll('$', '$$$$')}$3`));
  else expect(shown).toBe(output);
}

const locks = new LocksFixture();

describe('docs/cli.md shows the output of', () => {
  let shop: Bedrock;

  beforeAll(async () => {
    shop = new Bedrock({ backend: redis({ url: locks.server.url, label: 'orders' }) });
    await shop.ready();
    await locks.client.config('SET', 'appendonly', 'yes', 'appendfsync', 'always');
  });
  afterAll(() => shop?.close({ graceMs: 0 }));

  it('bedrock show, ls and processes', async () => {
    const environment = locks.environment;
    const leases = [
      await shop.mutex('stock:42').acquire(),
      await shop.readWriteLock('stock:prices').read.acquire(),
      await shop.semaphore('stock:printers', { permits: 3 }).acquire({ permits: 2 }),
    ];
    // Two commands run meanwhile.
    const waiting = locks.application.mutex('stock:42').acquire({ waitMs: 60_000 });
    await eventually('it waits', () => locks.client.exists('bedrock_order:{stock:42}'));
    const shown = await bedrock(['show', 'stock:42'], { environment });
    const [title, gap, ...rows] = shown.stdout.split('\n');
    expect(gap).toBe('');
    expectOnPage('bedrock show stock:42', `${title}\n\n${table(rows.join('\n'))}`);
    const listed = await bedrock(['ls', 'stock:'], { environment });
    expectOnPage('bedrock ls stock:', table(listed.stdout));
    await leases[0]!.release();
    await (await waiting).release();
    for (const lease of leases) await lease.release();
    const { stdout } = await bedrock(['processes'], { environment });
    expectOnPage('bedrock processes', table(stdout));
  });

  it('bedrock doctor', async () => {
    await locks.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const { code, stdout } = await bedrock(['doctor', 'shop:', ...PATIENT], {
      environment: locks.environment,
    });
    await locks.client.config('SET', 'maxmemory-policy', 'noeviction');
    expect(code).toBe(1);
    expectOnPage('bedrock doctor shop:', replaced(stdout));
  });

  it('bedrock nodes', async () => {
    const target = await startCombination();
    await target.servers[2]!.stop();
    // A start waits for the node that is away for several of its time-outs.
    const timeout = ['--operation-timeout', '500ms'];
    const { stdout } = await bedrock(['nodes', '--combination', target.file, ...timeout]);
    await target.stop();
    expectOnPage('bedrock nodes', table(stdout));
  });
});
