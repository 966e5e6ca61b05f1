// Runs inside the sandbox from its source text, with nothing but Node, Playwright and Chromium: it imports no other
// file of the service. It reads a visit, drives Chromium through it, and writes the result.
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type * as Playwright from 'playwright-core';
import type { Dialog, Locator, Page, Response } from 'playwright-core';
import type { GivenVisit, VisitAction, VisitStep } from './visit.ts';

/** Where Playwright is inside. */
const PLAYWRIGHT = '/run/library/index.mjs';
const LAUNCH_MS = 30_000;
const STEP_MS = 15_000;
/** How long a page may continue to load after an action before it is taken as it is. */
const SETTLE_MS = 2_000;
/** How long a page that does not respond is asked for what it shows. */
const FINAL_STATE_MS = 3_000;
const MAX_TEXT = 200_000;
const MAX_HTML = 500_000;
const MAX_LINKS = 200;
const MAX_FILES_BYTES = 6_500_000;
const MAX_PAGE_HEIGHT = 10_000;
const MAX_WORDS = 500;
const MAX_POPUPS = 10;

/** Steps that answer something and change nothing. */
const SHOWING: ReadonlySet<VisitAction> = new Set(['text', 'links', 'screenshot']);

const FLAGS = [
  // Addresses of this machine go through the proxy as well, which refuses them.
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--dns-prefetch-disable',
  '--disable-gpu',
  '--disable-crash-reporter',
];

/** The properties of an element of a page. */
interface ShownElement {
  readonly innerText?: string;
  readonly textContent?: string | null;
  readonly href?: string;
}

interface StepResult {
  readonly text?: string;
  readonly links?: unknown;
  /** A picture or a document, in base64. */
  readonly file?: string;
}

/** Counts of the visit, beside its results. */
const seen = { dialogs: 0, downloads: 0, popups: [] as string[], fileBytes: 0 };
let status: number | null = null;

async function main(): Promise<object> {
  const visit = JSON.parse(await text(process.stdin)) as GivenVisit;
  const { chromium } = (await import(PLAYWRIGHT)) as typeof Playwright;
  const browser = await chromium
    .launch({
      executablePath: visit.chromium,
      chromiumSandbox: true,
      // A page opens no windows by itself.
      ignoreDefaultArgs: ['--disable-popup-blocking'],
      args: [`--proxy-server=${visit.proxy}`, ...FLAGS],
      timeout: LAUNCH_MS,
    })
    .catch((error: unknown) => wordsOf(error));
  if (typeof browser === 'string') return { fault: browser };
  const context = await browser.newContext({
    acceptDownloads: false,
    serviceWorkers: 'block',
    viewport: visit.viewport,
  });
  const page = await context.newPage();
  context.on('page', (popup) => void turnAway(popup));
  page.on('dialog', (dialog) => void dismiss(dialog));
  page.on('download', () => (seen.downloads += 1));
  page.on('response', (response) => noteStatus(page, response));
  return new Walk(page, visit).end();
}

/** One way through the steps of a visit. */
class Walk {
  readonly #page: Page;
  readonly #visit: GivenVisit;
  readonly #deadline: number;

  constructor(page: Page, visit: GivenVisit) {
    this.#page = page;
    this.#visit = visit;
    this.#deadline = performance.now() + visit.timeoutMs;
  }

  async end(): Promise<object> {
    const results: StepResult[] = [];
    let failure: { readonly step: number; readonly message: string } | undefined;
    for (const step of [{ action: 'goto', url: this.#visit.url } as const, ...this.#visit.steps]) {
      try {
        results.push(await this.#within(this.#take(step)));
      } catch (error) {
        failure = { step: results.length, message: wordsOf(error) };
        break;
      }
    }
    // A page that could not be opened has nothing to show.
    const shown = results.length === 0 ? {} : await this.#finalState();
    const { dialogs, downloads, popups } = seen;
    const url = this.#page.url().slice(0, MAX_WORDS * 4);
    return {
      url,
      status,
      results: results.slice(1),
      ...(failure && { failure }),
      ...shown,
      dialogs,
      downloads,
      popups,
    };
  }

  async #finalState(): Promise<object> {
    const page = this.#page;
    const read = async () => {
      const title = (await page.title()).slice(0, MAX_WORDS);
      return { title, ...(await this.#output()) };
    };
    const left = Math.max(FINAL_STATE_MS, this.#left());
    return Promise.race([
      read().catch((error: unknown) => ({ outputFailure: wordsOf(error) })),
      sleep(left, { outputFailure: 'the page does not respond' }),
    ]);
  }

  async #output(): Promise<StepResult> {
    const page = this.#page;
    const outputs: Readonly<Record<GivenVisit['output'], () => Promise<StepResult>>> = {
      text: async () => ({ text: await textOf(page.locator('body')) }),
      html: async () => ({ text: (await page.content()).slice(0, MAX_HTML) }),
      screenshot: async () => this.#picture(undefined),
      pdf: async () => kept(await page.pdf({ format: 'A4', printBackground: true })),
    };
    return outputs[this.#visit.output]();
  }

  async #take({ action, target, text: words = '', key = '', url = '', seconds = 0 }: VisitStep): Promise<StepResult> {
    const page = this.#page;
    const timeout = Math.min(STEP_MS, this.#left());
    const element = target === undefined ? undefined : this.#find(target);
    const whole = element ?? this.#find('body');
    const steps: Readonly<Record<VisitAction, () => Promise<unknown>>> = {
      goto: async () => page.goto(url, { waitUntil: 'domcontentloaded', timeout: this.#left() }),
      click: async () => whole.click({ timeout }),
      type: async () => whole.fill(words, { timeout }),
      select: async () => whole.selectOption(words, { timeout }),
      press: async () => (element === undefined ? page.keyboard.press(key) : element.press(key, { timeout })),
      wait: async () => this.#wait(seconds, element),
      scroll: async () =>
        element === undefined
          ? page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
          : element.scrollIntoViewIfNeeded({ timeout }),
      text: async () => ({ text: await textOf(whole, timeout) }),
      links: async () => ({ links: await this.#links(whole, timeout) }),
      screenshot: async () => this.#picture(element),
    };
    const result = await steps[action]();
    if (SHOWING.has(action)) return result as StepResult;
    await this.#settle();
    return {};
  }

  async #wait(seconds: number, element: Locator | undefined): Promise<void> {
    await sleep(seconds * 1000);
    await element?.waitFor({ timeout: this.#left() });
  }

  async #links(element: Locator, timeout: number): Promise<unknown> {
    await element.waitFor({ state: 'attached', timeout });
    const read = (all: ShownElement[], most: number) =>
      all.slice(0, most).map(({ innerText, href }) => ({
        text: String(innerText).trim().slice(0, 200),
        url: String(href).slice(0, 2000),
      }));
    return element.locator('a[href]').evaluateAll(read, MAX_LINKS);
  }

  async #picture(element: Locator | undefined): Promise<StepResult> {
    const timeout = Math.min(STEP_MS, Math.max(FINAL_STATE_MS, this.#left()));
    if (element !== undefined) return kept(await element.screenshot({ timeout }));
    const { width } = this.#visit.viewport;
    const whole = Number(await this.#page.evaluate('document.documentElement.scrollHeight')) || 0;
    const height = Math.min(MAX_PAGE_HEIGHT, Math.max(whole, this.#visit.viewport.height));
    return kept(await this.#page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height }, timeout }));
  }

  #find(target: string): Locator {
    return this.#page.locator(target).first();
  }

  async #settle(): Promise<void> {
    const timeout = Math.max(1, Math.min(SETTLE_MS, this.#left()));
    await this.#page.waitForLoadState('networkidle', { timeout }).catch(() => undefined);
  }

  #left(): number {
    return Math.max(1, this.#deadline - performance.now());
  }

  // Some operations have no time limit of their own, and none ends while a script of the page runs.
  async #within<T>(work: Promise<T>): Promise<T> {
    const timer = new AbortController();
    const late = sleep(this.#left(), undefined, { signal: timer.signal }).then(() => {
      throw new Error('Timeout: the time of the visit is up');
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      late.catch(() => undefined);
      work.catch(() => undefined);
      timer.abort();
    }
  }
}

// A page may have replaced anything that is asked for.
async function textOf(locator: Locator, timeout = STEP_MS): Promise<string> {
  const read = ({ innerText, textContent }: ShownElement, most: number) =>
    (innerText ?? textContent ?? '').slice(0, most);
  const found: unknown = await locator.evaluate(read, MAX_TEXT, { timeout });
  return typeof found === 'string' ? found.slice(0, MAX_TEXT) : '';
}

function kept(bytes: Buffer): StepResult {
  seen.fileBytes += bytes.length;
  if (seen.fileBytes > MAX_FILES_BYTES) throw new Error('the pictures and documents are larger than 6.5 MB together');
  return { file: bytes.toString('base64') };
}

// Its address is known once it has left the empty page that every window begins with.
async function turnAway(popup: Page): Promise<void> {
  await popup
    .waitForURL((url) => url.protocol !== 'about:', { waitUntil: 'commit', timeout: 500 })
    .catch(() => undefined);
  if (seen.popups.length < MAX_POPUPS) seen.popups.push(popup.url().slice(0, MAX_WORDS));
  await popup.close().catch(() => undefined);
}

async function dismiss(dialog: Dialog): Promise<void> {
  seen.dialogs += 1;
  // Otherwise the page could keep the browser from leaving it.
  await (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
}

function noteStatus(page: Page, response: Response): void {
  const request = response.request();
  if (request.isNavigationRequest() && request.frame() === page.mainFrame()) status = response.status();
}

// Playwright adds a log of what it has tried, and colours.
function wordsOf(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\nCall log:');
  return stripVTControlCharacters(first).trim().slice(0, MAX_WORDS);
}

process.stdout.write(JSON.stringify(await main()), () => process.exit(0));
