import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { checkout } from '../../../scripts/stack/core/files.ts';
import { isLong } from '../in-length.ts';
import { sharedServices } from '../shared-services.ts';
import { createTestDatabase } from '../test-database.ts';
import { startTestApi, type TestApi, type TestApiOptions } from '../test-api.ts';
import { startOwnInstance, type TestInstance } from '../test-instance.ts';
import { builtConsole } from './built-console.ts';

/** Pictures of pages for people to look at; git ignores them. */
const SHOTS = join(checkout, 'test/browser/shots');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Far beyond what a page needs on a busy machine: only what never comes reaches it. */
const PATIENCE_MS = 90_000;

/** What serves a console, and is closed with it. */
interface Backend {
  readonly api: TestApi;
  close(): Promise<void>;
}

/** A real browser before the console of a real api. */
export interface BrowsedConsole<T extends Backend = Backend> {
  readonly url: string;
  readonly api: TestApi;
  readonly backend: T;
  /** Opens a tab of a browser of its own; its console errors fail the test file. */
  open(options?: {
    readonly width?: number;
    readonly height?: number;
    /** Whether it is touched, as a phone is, which makes targets larger; a mouse points unless it is. */
    readonly isTouched?: boolean;
  }): Promise<Page>;
  /** Opens another tab of the same browser. */
  openBeside(page: Page): Promise<Page>;
}

/** Describes what a person does in a browser; it is skipped, and says why, where there is none. */
export function describeConsole(
  title: string,
  tests: (console: BrowsedConsole) => void,
  options: Pick<TestApiOptions, 'registration'> = {},
): void {
  describeBefore(title, async (consoleDir) => startApiAlone({ ...options, consoleDir }), tests);
}

/**
 * Describes what a person does in a browser while agents work, with a worker and a scripted model. `findPorts` starts
 * what they are to reach on this machine, and says where it listens; `worker` is further environment of the worker.
 */
export function describeConsoleAtWork(
  title: string,
  tests: (console: BrowsedConsole<TestInstance>) => void,
  findPorts: () => Promise<readonly number[]> = async () => [],
  worker: () => Record<string, string> = () => ({}),
): void {
  describeBefore(
    title,
    async (consoleDir) => startOwnInstance({ consoleDir, openPorts: [...(await findPorts())], worker: worker() }),
    tests,
  );
}

async function startApiAlone(
  options: Pick<TestApiOptions, 'registration'> & { readonly consoleDir: string },
): Promise<Backend> {
  const database = await createTestDatabase();
  const api = await startTestApi({ databaseUrl: database.url, temporalAddress: '127.0.0.1:1', ...options });
  const close = async () => {
    await api.close();
    await database.drop();
  };
  return { api, close };
}

type StartBackend<T extends Backend> = (consoleDir: string) => Promise<T>;

function describeBefore<T extends Backend>(
  title: string,
  startBackend: StartBackend<T>,
  tests: (console: BrowsedConsole<T>) => void,
): void {
  const { chromium: found } = sharedServices();
  if ('missing' in found) {
    // oxlint-disable-next-line jest/no-disabled-tests
    describe.skip(`${title} (skipped: ${found.missing})`, () => {
      test('needs a browser', () => undefined);
    });
    return;
  }
  describe(title, () => tests(browse(found.path, startBackend)));
}

function browse<T extends Backend>(executablePath: string, startBackend: StartBackend<T>): BrowsedConsole<T> {
  let [browser, backend]: [Browser?, T?] = [];
  const complaints: string[] = [];
  const watch = (page: Page): Page => {
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !isOfNetwork(message.text())) complaints.push(message.text());
    });
    return page;
  };
  beforeAll(async () => {
    backend = await startBackend(await builtConsole());
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(async () => {
    await browser?.close();
    await backend?.close();
    expect(complaints).toEqual([]);
  });
  const started = () => {
    if (browser === undefined || backend === undefined) throw new Error('the console is served only while tests run');
    return { browser, backend };
  };
  return {
    get url() {
      return started().backend.api.url;
    },
    get backend() {
      return started().backend;
    },
    get api() {
      return started().backend.api;
    },
    open: async ({ width = 1280, height = 800, isTouched = false } = {}) => {
      const context: BrowserContext = await started().browser.newContext({
        viewport: { width, height },
        hasTouch: isTouched,
        isMobile: isTouched,
      });
      return watch(await context.newPage());
    },
    openBeside: async (page) => watch(await page.context().newPage()),
  };
}

// A refusal, and a server that is away, the browser reports as well; the tests look at what is shown.
function isOfNetwork(complaint: string): boolean {
  if (complaint.startsWith('Failed to load resource')) return true;
  return /^WebSocket .* net::ERR_[A-Z_]+$|^(?:Type)?Error: (?:Unable to preload CSS|Failed to fetch dynamic)/.test(
    complaint,
  );
}

/** Takes a picture of a page, in the long run: nobody looks at those of every run. */
export async function takeShot(page: Page, name: string): Promise<void> {
  if (!isLong) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

/** Returns the rules of WCAG that a page breaks once its transitions have ended, with the elements that do. */
export async function brokenRules(page: Page): Promise<string[]> {
  const client = await page.context().newCDPSession(page);
  // Not through the page's own scripts: the policy of the page forbids it to read a text as one.
  const evaluate = async (expression: string) =>
    client.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  await evaluate(AXE);
  const ends =
    'document.getAnimations().filter((each) => each instanceof CSSTransition).map(({ finished }) => finished)';
  await evaluate(`Promise.allSettled(${ends})`);
  const run = `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;
  const { result, exceptionDetails } = await evaluate(run);
  await client.detach();
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as string[];
}
