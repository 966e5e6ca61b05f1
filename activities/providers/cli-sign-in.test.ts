import { expect, test } from '@jest/globals';
import { SaidByProgram } from './cli-sign-in.ts';

const PAGES = ['claude.ai', 'claude.com'];

function addressIn(...chunks: readonly string[]): string | undefined {
  const said = new SaidByProgram();
  for (const chunk of chunks) said.add(chunk);
  return said.addressAt(PAGES);
}

test('is found among other words, without the codes of a terminal, once all of it has come', () => {
  const address = 'https://claude.ai/oauth/authorize?code=true&state=a-state';
  expect(addressIn('Visit:\n\u001b[1m', 'https://claude.ai/oauth/auth')).toBeUndefined();
  expect(
    addressIn('Visit:\n\u001b[1m', 'https://claude.ai/oauth/auth', 'orize?code=true&state=a-state\u001b[0m\r\n'),
  ).toBe(address);
});

test('is the last one, which a program gives after a code that was not accepted', () => {
  expect(addressIn('https://claude.ai/one\n', 'Wrong. Visit https://claude.com/two\n')).toBe('https://claude.com/two');
});

test.each([
  'javascript:alert(1)',
  'http://claude.ai/oauth/authorize',
  'https://claude.ai.example.com/oauth/authorize',
  'https://example.com/?to=https://claude.ai',
  'https://claude.ai:8443/oauth/authorize',
  'https://claude.ai@example.com/oauth/authorize',
  'https://a:b@claude.ai/oauth/authorize',
  'https://claude.ai\\@example.com/',
])('is only https and on a page of the vendor: %s is none', (address) => {
  expect(addressIn(`Visit ${address} now\n`)).toBeUndefined();
});

test('is looked for in a bounded text, whatever a program says', () => {
  const said = new SaidByProgram();
  for (let count = 0; count < 200; count += 1) said.add('x'.repeat(10_000));
  expect(said.text.length).toBeLessThanOrEqual(100_000);
});
