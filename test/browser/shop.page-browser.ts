import { findChromium } from 'bedrock-servers';
import { launch, type Browser, type Page } from 'puppeteer-core';
import { clear, dataOf, readsAs, stepClock, textsOf } from './shop.page-eyes.mjs';

const FLAGS = ['--no-sandbox', '--headless=new', '--disable-gpu', '--disable-dev-shm-usage'];
const LOADED_WITHIN_MS = 15_000;
const SEEN_WITHIN_MS = 5_000;

/** Starts a headless Chromium. */
export async function openBrowser(): Promise<Browser> {
  const chromium = await findChromium();
  // Over a pipe: should the test be killed, the browser ends with it.
  return launch({ executablePath: chromium, args: FLAGS, pipe: true, timeout: 30_000 });
}

/** A page of the shop, and what a visitor would see of it. */
export class ShopPage {
  /** Errors of scripts, of the policy and of the network, as the console has them. */
  readonly complaints: string[] = [];
  /** Hosts that anything was asked of. */
  readonly hosts = new Set<string>();
  /** How often the page itself was loaded. */
  loads = 0;

  static async open(browser: Browser, url: string, width = 1_280): Promise<ShopPage> {
    const page = await browser.newPage();
    await page.setViewport({ width, height: 900 });
    const shop = new ShopPage(page);
    await page.goto(url, { timeout: LOADED_WITHIN_MS });
    await shop.sees('#link[data-state=live]', LOADED_WITHIN_MS);
    return shop;
  }

  private constructor(readonly page: Page) {
    page.on('console', (line) => {
      if (line.type() === 'error' || line.type() === 'warn') this.complaints.push(line.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      this.complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => this.hosts.add(new URL(request.url()).host));
    page.on('load', () => (this.loads += 1));
  }

  /** Resolves when something matches. @throws when nothing does in time */
  async sees(selector: string, withinMs = SEEN_WITHIN_MS): Promise<void> {
    await this.page.waitForSelector(selector, { timeout: withinMs });
  }

  /** Resolves when the text of an element is this. @throws when it is not in time, saying what it is */
  async reads(selector: string, text: string, withinMs = SEEN_WITHIN_MS): Promise<void> {
    try {
      await this.page.waitForFunction(readsAs, { timeout: withinMs }, selector, text);
    } catch (cause) {
      const is = (await this.texts(selector))[0];
      throw new Error(`${selector} should read "${text}" within ${withinMs} ms; it reads "${is}"`, { cause });
    }
  }

  /** Of all that match, as they stand. */
  texts(selector: string): Promise<string[]> {
    return this.page.evaluate(textsOf, selector);
  }

  /** What an attribute data-* of all that match says; '' where there is none. */
  data(selector: string, name: string): Promise<string[]> {
    return this.page.evaluate(dataOf, selector, name);
  }

  /** Replaces what stands in a field. */
  async writes(selector: string, text: string): Promise<void> {
    await this.page.evaluate(clear, selector);
    await this.page.type(selector, text);
  }

  /** The clock of the page, and no other, goes ahead by so much. */
  ages(ms: number): Promise<void> {
    return this.page.evaluate(stepClock, ms);
  }

  close(): Promise<void> {
    return this.page.close();
  }
}
