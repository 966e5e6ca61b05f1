import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { signInAt } from '../../../test/support/console/opened-chat.ts';
import type { TestUser } from '../../../test/support/factories.ts';
import { findTestChromium } from '../../../test/support/find-test-chromium.ts';
import type { Bench } from '../../section.ts';

const SIZE = { width: 1280, height: 800 };

/** Returns how the browser of this machine is started. Throws where there is none. */
export async function launchOptions(): Promise<{ executablePath: string; args: string[] }> {
  const found = await findTestChromium();
  if ('missing' in found) throw new Error(found.missing);
  return { executablePath: found.path, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] };
}

/** Starts the browser of this machine; it is closed with what the run undoes. Throws where there is none. */
export async function openBrowser({ undo }: Pick<Bench, 'undo'>): Promise<Browser> {
  const browser = await chromium.launch(await launchOptions());
  undo.add(async () => browser.close());
  return browser;
}

/** Opens a tab of a browser without a past. */
export async function openTab(browser: Browser): Promise<Page> {
  return (await browser.newContext({ viewport: SIZE })).newPage();
}

/** Opens a tab in which a user is signed in, at a page of their organization; '' is the first one. */
export async function openSignedIn(browser: Browser, apiUrl: string, user: TestUser, path = ''): Promise<Page> {
  const page = await openTab(browser);
  await signInAt(page, `${apiUrl}/o/${user.orgId}${path}`, user);
  await page.getByRole('navigation').first().waitFor();
  return page;
}

/** Counts what a tab asks of its server from now on: not its files, and not what goes over sockets. */
export function countRequests(page: Page): { readonly paths: readonly string[] } {
  const paths: string[] = [];
  page.on('request', (request) => {
    if (['fetch', 'xhr', 'eventsource'].includes(request.resourceType())) paths.push(new URL(request.url()).pathname);
  });
  return { paths };
}

interface Click {
  readonly link: Locator;
  /** An expression that is true in the page once the target of the link is shown. */
  readonly isShown: string;
}

/** Clicks a link in a tab; returns the milliseconds until the next page is in its document. */
export async function msUntilShown(page: Page, { link, isShown }: Click): Promise<number> {
  // Waits in the page itself: its content security policy forbids the `eval` by which Playwright polls.
  await page.evaluate(
    `globalThis.shownMs = new Promise((resolve) => {
      addEventListener('click', ({ timeStamp }) => {
        new MutationObserver((_, observer) => {
          if (!(${isShown})) return;
          observer.disconnect();
          resolve(performance.now() - timeStamp);
        }).observe(document, { childList: true, subtree: true });
      }, { capture: true, once: true });
    }), undefined`,
  );
  await link.click();
  return page.evaluate<number>('shownMs');
}
