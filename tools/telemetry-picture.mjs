/**
 * Takes the picture of docs/observability.md: what a real Prometheus shows of a flash sale in four processes. Needs Redis,
 * Prometheus and Chromium, which it finds or installs.
 */
import { findChromium, startPrometheus, startRedis } from 'bedrock-servers';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { launch } from 'puppeteer-core';
import { answerUsage } from './answer-usage.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const PICTURE = join(root, 'docs/images/telemetry.png');
const WINDOW = { width: 1_280, height: 1_560, deviceScaleFactor: 1 };
/** What the picture shows, from the top. */
const QUERIES = [
  'sum by (instance) (bedrock_lock_waiting)',
  'histogram_quantile(0.99, sum by (le) (rate(bedrock_lock_wait_duration_seconds_bucket[5s])))',
];
const SALE = ['--backend', 'redis', '--processes', '4', '--purchases', '60000', '--buyers', '3000'];
const LINGER_S = 10;
const READY_WITHIN_MS = 60_000;

answerUsage(`npm run docs:picture

Takes docs/images/telemetry.png: what Prometheus shows of a flash sale in four processes.

  --help
`);

const [redis, prometheus] = await Promise.all([startRedis(), startPrometheus({})]);
try {
  await sell();
  await takePicture();
  console.log(`written: ${PICTURE}`);
} finally {
  await Promise.all([prometheus.stop(), redis.stop()]);
}

/** Runs the sale to its end, scraped all the time. */
async function sell() {
  const telemetry = ['--telemetry', '--metrics-port', '0', '--linger', String(LINGER_S)];
  const args = [join(root, 'apps/ecosphere/dist/main.js'), ...SALE, '--url', redis.url, ...telemetry];
  const sale = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const addresses = [];
  let output = '';
  sale.stdout.on('data', (text) => {
    output += text;
    const found = [...output.matchAll(/metrics: http:\/\/([^/]+)\//g)].map(([, address]) => address);
    if (found.length === addresses.length) return;
    addresses.push(...found.slice(addresses.length));
    prometheus.scrape(addresses);
  });
  const [code] = await once(sale, 'close');
  if (code !== 0) throw new Error(`the sale ended with ${code}:\n${output}`);
}

async function takePicture() {
  const graphs = QUERIES.map((query, i) => {
    const values = { expr: query, tab: '0', stacked: '0', range_input: '1m', step_input: '1' };
    return Object.entries(values).map(([name, value]) => `g${i}.${name}=${encodeURIComponent(value)}`);
  });
  const browser = await launch({ executablePath: await findChromium(), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.setViewport(WINDOW);
    await page.goto(`${prometheus.url}/graph?${graphs.flat().join('&')}`, { waitUntil: 'networkidle0' });
    const drawn = "document.querySelectorAll('.rickshaw_graph > svg:first-of-type path').length";
    await page.waitForFunction(`${drawn} >= ${QUERIES.length}`, { timeout: READY_WITHIN_MS });
    await sleep(1_000);
    await page.screenshot({ path: PICTURE });
  } finally {
    await browser.close();
  }
}
