import type { Browser, Page } from 'playwright-core';
import { openTab } from './open-browser.ts';
import { quantile } from '../../figures/statistics.ts';

/** How long the first page takes in a browser that has nothing of it yet, in milliseconds; medians. */
export interface FirstPage {
  readonly paintMs: number;
  /** Until its first field can be typed into. */
  readonly usableMs: number;
}

const ROUNDS = 3;
/** Notes when the first field is there. */
const NOTE_USABLE = `new MutationObserver((_, observer) => {
  if (document.querySelector('main input') === null) return;
  observer.disconnect();
  globalThis.usableAt = performance.now();
}).observe(document, { childList: true, subtree: true })`;

/** Measures the first page, on a processor that is so many times slower. */
export async function measureFirstPage(browser: Browser, apiUrl: string, slower: number): Promise<FirstPage> {
  const rounds: FirstPage[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await openTab(browser);
    rounds.push(await measureOnce(page, apiUrl, slower));
    await page.context().close();
  }
  const median = (of: (round: FirstPage) => number) => quantile(rounds.map(of), 0.5);
  return { paintMs: median(({ paintMs }) => paintMs), usableMs: median(({ usableMs }) => usableMs) };
}

async function measureOnce(page: Page, apiUrl: string, slower: number): Promise<FirstPage> {
  const client = await page.context().newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: slower });
  await page.addInitScript(NOTE_USABLE);
  await page.goto(apiUrl);
  await page.locator('main input').first().waitFor();
  return page.evaluate<FirstPage>(`({
    paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    usableMs: usableAt,
  })`);
}
