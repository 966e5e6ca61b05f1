import { describe, expect, test } from '@jest/globals';
import { SecretMask } from './secret-mask.ts';

const SECRET = 'p/w+ü "4<&2=Q';
const mask = new SecretMask([SECRET, 'plain-token-1']);
const escapedJson = SECRET.replaceAll(
  /[^\w]/g,
  (character) => String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, '0'),
);
const entities = SECRET.replaceAll(/[^]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`);

const inBase64 = (text: string) => Buffer.from(text).toString('base64');
const wrapped = (text: string, width: number) => text.replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\n');
const hexOf = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');

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
    ['in Base64 of several lines', wrapped(Buffer.from(`user: ${SECRET} and more`).toString('base64'), 9)],
    ['in Base64 of several lines in JSON', JSON.stringify({ a: wrapped(Buffer.from(SECRET).toString('base64'), 7) })],
    ['in Base64 of Base64', inBase64(inBase64(`user:${SECRET}:more`))],
    ['in JSON within JSON', JSON.stringify({ a: JSON.stringify({ b: SECRET }) })],
    ['in JSON with all escapes within JSON', JSON.stringify({ a: `{"b":"${escapedJson}"}` })],
    ['in an address that was encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
    ['in hexadecimal digits', Buffer.from(`a${SECRET}b`).toString('hex')],
    ['in large hexadecimal digits', Buffer.from(SECRET).toString('hex').toUpperCase()],
    [
      'in escapes of programs',
      Buffer.from(SECRET)
        .toString('latin1')
        .replaceAll(/[^]/g, (each) => String.raw`\x` + hexOf(each)),
    ],
    ['in quoted-printable', 'a=3D p/w+=C3=BC "4<&2=3DQ b'],
    ['in quoted-printable of several lines', 'p/w+=C3=\r\n=BC "4<&2=\r\n=3DQ'],
    [
      'in quoted-printable throughout',
      [...Buffer.from(SECRET)]
        .map((byte) => `=${byte.toString(16)}`)
        .join('')
        .toUpperCase(),
    ],
    ['in capital letters', `is ${SECRET.toUpperCase()}`],
    ['in small letters', SECRET.toLowerCase()],
    ['more than once', `${SECRET}${SECRET} plain-token-1`],
  ])('is masked %s', (_how, text) => {
    const masked = mask.mask(text);
    expect(masked).toContain('***');
    for (const part of ['w+ü', '4<&2', '2=Q', 'plain-token', Buffer.from(SECRET).toString('base64').slice(4, 12)]) {
      expect(masked).not.toContain(part);
    }
  });

  test.each(['\n', '\r\n', '=\r\n', '\n    ', '\\\n', String.raw`\n`])(
    'is masked as a whole in lines that each are long enough for a part of it: %j',
    (lineBreak) => {
      const secret = 'sk_4f9-aZ81/qLm2+77xWcTt0pR';
      for (const text of [secret, inBase64(secret), inBase64(inBase64(secret))]) {
        const inLines = text.replaceAll(/.{10}/g, (line) => line + lineBreak);
        expect(new SecretMask([secret]).mask(`a ${inLines} b`)).toMatch(/^a \*\*\*=* b$/);
      }
    },
  );

  test('leaves all other text as it is, escapes included', () => {
    const text = `${String.raw`{"a":"b\/cü","c":"%41 &amp; plain-2-token \\u0041 \x41"}`}\n=41=\n\r\n.`;
    expect(mask.mask(text)).toBe(text);
    expect(new SecretMask([]).mask(text)).toBe(text);
  });
});

describe('a part of a secret', () => {
  const long = 'sk_4f9-aZ81/qLm2 77xWc+Tt0pR';
  const inParts = new SecretMask([long]);

  test.each([
    ['its first characters', `key ${long.slice(0, 20)}, cut`, 'key ***, cut'],
    ['the fewest first characters', `key ${long.slice(0, 8)}, cut`, 'key ***, cut'],
    ['its last characters', `key ...${long.slice(-20)}!`, 'key ...***!'],
    ['the fewest last characters', `key ...${long.slice(-8)}!`, 'key ...***!'],
    ['both', `${long.slice(0, 10)}...${long.slice(-10)}`, '***...***'],
    ['all but its middle', `${long.slice(0, 13)}${long.slice(14)}`, '***'],
    ['an end after itself', `${long}${long.slice(-9)}`, '******'],
    ['in Base64', Buffer.from(long).toString('base64').slice(0, 20), '***'],
    ['in an address', `?k=${encodeURIComponent(long).slice(0, 24)}&`, '?k=***&'],
    ['all of it in HTML', `${long.replaceAll('/', '&#47;')} <`, '*** <'],
    ['in HTML', long.slice(0, 14).replaceAll('/', '&#47;'), '***'],
  ])('is masked: %s', (_what, text, expected) => {
    expect(inParts.mask(text)).toBe(expected);
  });

  test.each([long.slice(0, 7), long.slice(-7), long.slice(4, 20)])('is not recognized: %s', (text) => {
    expect(inParts.mask(text)).toBe(text);
  });

  test('of a short secret stays, and so does the scheme of an address', () => {
    expect(new SecretMask(['elevenchars']).mask('elevenchar')).toBe('elevenchar');
    const address = new SecretMask(['https://hooks.example/T1/B2/xyz']);
    expect(address.mask('https://other.example https://hooks.example/T1/B2')).toBe('https://other.example https://***');
  });

  test('costs no more than a few passes over a text that nearly repeats it everywhere', () => {
    const same = new SecretMask(['a'.repeat(8_192)]);
    const shown = same.mask(`${'a'.repeat(8_191)}b`.repeat(200));
    expect(shown).toBe('***b'.repeat(200));
  });
});

test('the hexadecimal digits of a short secret stay: numbers have them too', () => {
  expect(new SecretMask(['db1']).mask('a64623100 of db1')).toBe('a64623100 of ***');
  expect(new SecretMask(['db1234']).mask('a646231323334')).toBe('a***');
});

test('what tokens of a service all begin with stays, and a beginning of one goes', () => {
  const token = 'github_pat_11ABCDEFG0aZ81qLm277xWcTt0pR';
  const own = new SecretMask([token]);
  expect(own.mask('Fine-grained tokens begin with github_pat_ and 11')).toBe(
    'Fine-grained tokens begin with github_pat_ and 11',
  );
  expect(own.mask(`it is ${token.slice(0, 19)}, cut`)).toBe('it is ***, cut');
  expect(own.mask(`it is ${token}`)).toBe('it is ***');
});

test('a text with more parts of a secret than any answer has is masked from there on', () => {
  const own = new SecretMask(['aaaaaaaabcdaaaaaaaa']);
  expect(own.mask(`first ${'a'.repeat(4 * 1024 * 1024)} last`)).toBe('first *** last');
  expect(own.mask('aaaaaaaabcd '.repeat(5_000))).toBe(`${'*** '.repeat(1_000)}***`);
  // Ends that come later than beginnings that were too many.
  expect(own.mask(`${'aaaaaaaabcd '.repeat(1_001)}between bcdaaaaaaaa`)).toBe(`${'*** '.repeat(1_000)}***`);
});

test('the beginning of a text ends before a secret that is cut off', () => {
  const [text, part] = ['x'.repeat(2_000), SECRET.slice(0, 8)];
  expect(mask.maskBeginning(`${text}${part}`)).toMatch(/^x+$/);
  expect(mask.maskBeginning(`${SECRET}${text}${part}`)).toMatch(/^\*\*\*x+$/);
  expect(new SecretMask([]).maskBeginning(text)).toBe(text);
});
