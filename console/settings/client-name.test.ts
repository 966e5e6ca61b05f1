import { expect, test } from '@jest/globals';
import { clientName } from './client-name.ts';

const text = {
  unknown: 'Unknown',
  client: (browser: string, system: string) => `${browser} on ${system}`,
} as Parameters<typeof clientName>[1];
const CHROMIUM = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0', 'Firefox on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROMIUM} Edg/140.0`, 'Microsoft Edge on Windows'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${CHROMIUM}`, 'Chrome on macOS'],
  ['everturn-cli/1.0 (linux; x64)', 'everturn-cli on Linux'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['Zero\u200Bwidth', 'Zero⟨U+200B⟩width'],
  ['x'.repeat(300), `${'x'.repeat(59)}…`],
  ['', 'Unknown'],
  [null, 'Unknown'],
])('%j is %s', (userAgent, name) => {
  expect(clientName(userAgent, text)).toBe(name);
});
