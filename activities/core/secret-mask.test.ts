import { describe, expect, test } from '@jest/globals';
import { SecretMask } from './secret-mask.ts';

const SECRET = 'p/w+ü "4<&2=Q';
const mask = new SecretMask([SECRET, 'plain-token-1']);
const escapedJson = SECRET.replaceAll(
  /[^\w]/g,
  (character) => String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, '0'),
);
const entities = SECRET.replaceAll(/[^]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`);

describe('a secret', () => {
  test.each([
    ['as it is', `before ${SECRET} after`],
    ['in JSON', JSON.stringify({ before: `is ${SECRET}` })],
    ['in JSON with escaped slashes', JSON.stringify({ before: SECRET }).replaceAll('/', String.raw`\/`)],
    ['in JSON with all escapes', `{"a":"${escapedJson}"}`],
    ['in an address', `https://example.com/?before=${encodeURIComponent(SECRET)}`],
    ['in an address in small letters', encodeURIComponent(SECRET).replaceAll(/%\w\w/g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams({ before: SECRET }).toString()],
    ['in HTML', 'p/w+ü &quot;4&lt;&amp;2=Q'],
    ['in HTML by number', entities],
    ['in Base64', Buffer.from(SECRET).toString('base64')],
    ['in the Base64 of a text around it', Buffer.from(`user:${SECRET}:more`).toString('base64')],
    ['in Base64 for addresses', Buffer.from(`me:${SECRET}`).toString('base64url')],
    ['more than once', `${SECRET}${SECRET} plain-token-1`],
  ])('is masked %s', (_how, text) => {
    const masked = mask.mask(text);
    expect(masked).toContain('***');
    for (const part of ['w+ü', '4<&2', '2=Q', 'plain-token', Buffer.from(SECRET).toString('base64').slice(4, 12)]) {
      expect(masked).not.toContain(part);
    }
  });

  test('leaves all other text as it is, escapes included', () => {
    const text = String.raw`{"a":"b\/cü","c":"%41 &amp; plain-token-2"}`;
    expect(mask.mask(text)).toBe(text);
    expect(new SecretMask([]).mask(text)).toBe(text);
  });
});

test('the beginning of a text ends before a secret that is cut off', () => {
  const [text, part] = ['x'.repeat(2_000), SECRET.slice(0, 8)];
  expect(mask.maskBeginning(`${text}${part}`)).toMatch(/^x+$/);
  expect(mask.maskBeginning(`${SECRET}${text}${part}`)).toMatch(/^\*\*\*x+$/);
  expect(new SecretMask([]).maskBeginning(text)).toBe(text);
});
