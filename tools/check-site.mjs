/**
 * Looks at the built documentation site in headless Chromium, at the width of a phone and of a desk: no error, nothing wider
 * than the window, nothing serious for axe, in light and dark; the search finds pages. Then follows every link of every page,
 * anchors too. Prints a line for each page; exits with 1 if one has failed. Needs the result of `npm run docs:build`, and
 * Chromium, which it finds or installs.
 */
import { findChromium } from 'bedrock-servers';
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from 'puppeteer-core';
import { answerUsage } from './answer-usage.mjs';
import { check } from './check.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const site = join(root, 'docs/.vitepress/dist');
const axeFile = join(root, 'docs/node_modules/axe-core/axe.min.js');

answerUsage(`npm run check:site

Looks at the documentation site in Chromium: width, errors, axe, search and links. Exits with 2 where the site is not built.

  --help
`);
if (!existsSync(join(site, 'index.html')) || !existsSync(axeFile)) {
  console.error('the site is not built: run npm run docs:build');
  process.exit(2);
}
const axe = readFileSync(axeFile, 'utf8');

/** Widths and heights of a window, in CSS pixels. */
const WINDOWS = { phone: { width: 390, height: 844 }, desk: { width: 1_280, height: 800 } };
const PAGES = [
  '/',
  '/first-lock',
  '/choosing',
  '/nest/decorator',
  '/operations/errors',
  '/performance/',
  '/zh-CN/',
  '/zh-CN/first-lock',
  '/api/',
];
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** The file of a path, as a web server with clean URLs finds it. @param {string} path */
function fileOf(path) {
  const bare = decodeURIComponent(path).replace(/\/$/, '/index');
  const candidates = [bare, `${bare}.html`, `${bare}/index.html`].map((one) => join(site, one));
  return candidates.find((file) => existsSync(file) && extname(file) !== '');
}

const server = createServer(({ url = '/' }, response) => {
  const file = fileOf(new URL(url, 'http://site').pathname);
  if (file === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
  response.end(readFileSync(file));
});

/** What axe finds that is serious or critical, in a line each. @param {import('puppeteer-core').Page} page */
async function seriousFindings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 120))
          .join(' | ')}`,
    );
}

/** @param {import('puppeteer-core').Browser} browser @param {string} origin @param {string} path */
async function checkPage(browser, origin, path, viewport) {
  const page = await browser.newPage();
  try {
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.setViewport(viewport);
    for (const scheme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.goto(`${origin}${path}`, { waitUntil: 'networkidle0' });
      const extra = await page.evaluate(
        () => globalThis.document.documentElement.scrollWidth - globalThis.innerWidth,
      );
      assert.ok(extra <= 0, `${scheme}: ${extra} px wider than the window`);
      assert.deepEqual(await seriousFindings(page), [], `axe, ${scheme}`);
    }
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
  }
}

async function checkSearch(browser, origin) {
  const page = await browser.newPage();
  try {
    await page.goto(`${origin}/`, { waitUntil: 'networkidle0' });
    await page.click('.VPNavBarSearch button');
    await page.waitForSelector('.search-input');
    await page.type('.search-input', 'fencing');
    await page.waitForSelector('.results a', { timeout: 10_000 });
  } finally {
    await page.close();
  }
}

/** @typedef {{ html: string, ids: ReadonlySet<string> }} BuiltPage a page, and the anchors that it has */

/** @returns {Map<string, BuiltPage>} by file */
function builtPages() {
  const names = readdirSync(site, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.html')).map((name) => join(site, name));
  return new Map(
    files.map((file) => {
      const html = readFileSync(file, 'utf8');
      return [file, { html, ids: new Set(Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id]) => id)) }];
    }),
  );
}

/** Every link between pages must lead to a page, and to a heading that is there. */
function checkLinks() {
  const pages = builtPages();
  const links = [...pages].flatMap(([file, { html }]) => {
    const from = `/${file.slice(site.length + 1).replace(/(index)?\.html$/, '')}`;
    const hrefs = Array.from(html.matchAll(/<a\s[^>]*href="([^"]+)"/g), ([, href]) => href);
    return hrefs.filter((href) => !/^[a-z]+:/.test(href)).map((href) => ({ from, href }));
  });
  const dead = links.filter(({ from, href }) => {
    const { pathname, hash } = new URL(href.replaceAll('&amp;', '&'), `http://site${from}`);
    const target = fileOf(pathname);
    if (target === undefined) return true;
    return hash !== '' && pages.get(target)?.ids.has(decodeURIComponent(hash.slice(1))) === false;
  });
  assert.ok(links.length > 1_000, `only ${links.length} links were found`);
  assert.deepEqual([...new Set(dead.map(({ from, href }) => `${from}: ${href}`))], []);
  return `${links.length} links on ${pages.size} pages`;
}

await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await launch({ executablePath: await findChromium(), args: ['--no-sandbox'] });
try {
  for (const [name, viewport] of Object.entries(WINDOWS))
    for (const path of PAGES)
      await check(`${path} on a ${name}`, () => checkPage(browser, origin, path, viewport));
  await check('the search finds pages', () => checkSearch(browser, origin));
  await check('every link leads somewhere', checkLinks);
} finally {
  await browser.close();
  server.close();
}
