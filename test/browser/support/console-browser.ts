import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { sharedServices } from '../../support/shared-services.ts';

const run = promisify(execFile);
const BUILD = join(import.meta.dirname ?? __dirname, '../../../scripts/console/build.ts');

/** Describes what needs a browser; it is skipped, and says why, where there is none. */
export function describeInBrowser(title: string, tests: () => void): void {
  const { chromium: found } = sharedServices();
  if ('path' in found) describe(title, tests);
  // oxlint-disable-next-line jest/no-disabled-tests
  else describe.skip(`${title} (skipped: ${found.missing})`, tests);
}

/** The console as it is built for this test, and a browser for it. */
export interface ConsoleBrowser {
  readonly consoleDir: string;
  /** Faults that a page must not have: errors, violations of the content security policy, failed requests. */
  readonly faults: string[];
  /** Opens a tab of a new profile. */
  open(): Promise<Page>;
  close(): Promise<void>;
}

/** Builds the console and starts a browser. */
export async function startConsoleBrowser(): Promise<ConsoleBrowser> {
  const { chromium: found } = sharedServices();
  if (!('path' in found)) throw new Error(found.missing);
  const folder = await mkdtemp(join(tmpdir(), 'everturn-console-'));
  const consoleDir = join(folder, 'console');
  await run(process.execPath, ['--disable-warning=ExperimentalWarning', BUILD, consoleDir]);
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser: Browser = await chromium.launch({ executablePath: found.path, args });
  const faults: string[] = [];
  return {
    consoleDir,
    faults,
    open: async () => {
      const page = await (await browser.newContext()).newPage();
      page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(`console: ${message.text()}`);
      });
      return page;
    },
    close: async () => {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
