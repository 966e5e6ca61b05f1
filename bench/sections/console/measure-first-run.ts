import type { Browser } from 'playwright-core';
import { openTab } from './open-browser.ts';

const PASSWORD = 'correct horse battery';

/** Goes from the first page to an answer of the demo model, as somebody does who only clicks; returns the seconds. */
export async function measureFirstRun(browser: Browser, apiUrl: string): Promise<number> {
  const page = await openTab(browser);
  const begin = performance.now();
  await page.goto(`${apiUrl}/register`);
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('E-mail address').fill(`ada-${Date.now()}@bench.example.com`);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('button', { name: /^Demo model/ }).click();
  await page.getByRole('button', { name: /^Assistant/ }).click();
  await page.getByRole('button', { name: 'Calculate 2+3*4' }).click();
  await page
    .getByRole('log')
    .getByText(/\b14\b/)
    .filter({ visible: true })
    .first()
    .waitFor();
  const seconds = (performance.now() - begin) / 1_000;
  await page.context().close();
  return seconds;
}
