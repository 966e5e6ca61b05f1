import { describe, expect, test } from '@jest/globals';
import { encodingNotice, readText, TextChunks } from './read-text.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
/** `日本語` and `Привет`, and texts that are long enough to be recognized. */
const SHIFT_JIS = hex('93fa 967b 8cea');
const EUC_JP = hex('c6fc cbdc b8ec');
const KOI8 = hex('f0d2 c9d7 c5d4');
const LONG_SHIFT_JIS = hex('82b1 82f1 82c9 82bf 82cd 90a2 8a45 8142 82b1 82ea 82cd 8365 8358 8367 82c5 82b7 8142');
const LONG_1251 = hex('cff0 e8e2 e5f2 2c20 ece8 f02e 20dd f2ee 20ef f0ee e2e5 f0ea e02e');

const inMarkup = (before: string, text: Buffer, after: string) =>
  Buffer.concat([Buffer.from(before), text, Buffer.from(after)]);

describe('readText', () => {
  test.each([
    ['the header', 'text/plain; charset=Shift_JIS', SHIFT_JIS, '日本語'],
    ['a header with blanks and quotes', 'text/plain; charset = "koi8-r"', KOI8, 'Привет'],
    [
      'the XML declaration',
      'application/xml',
      inMarkup("<?xml version='1.0' encoding='EUC-JP'?><a>", EUC_JP, '</a>'),
      '日本語',
    ],
    [
      'the XML declaration of a file without a type',
      '',
      inMarkup('<?xml version="1.0" encoding="koi8-r"?><a>', KOI8, '</a>'),
      'Привет',
    ],
    ['a meta element', 'text/html', inMarkup('<html><meta charset=Shift_JIS><p>', SHIFT_JIS, ''), '日本語'],
    [
      'the older meta element',
      'text/html',
      inMarkup('<META http-equiv="Content-Type" content="text/html; charset=euc-jp">', EUC_JP, ''),
      '日本語',
    ],
    ['the header before the page', 'text/html; charset=koi8-r', inMarkup('<meta charset="utf-8">', KOI8, ''), 'Привет'],
    [
      'the page, when nobody knows what the header names',
      'text/html; charset=x',
      inMarkup('<meta charset="koi8-r">', KOI8, ''),
      'Привет',
    ],
  ])('believes %s', (_what, type, bytes, found) => {
    const { text, isUncertain } = readText(bytes, type);
    expect([text.includes(found), isUncertain]).toEqual([true, false]);
  });

  test.each([
    ['a comment', 'text/html', '<!-- <meta charset="koi8-r"> --><p>Grüße'],
    ['a text that is no page', 'text/plain', 'Write <meta charset="koi8-r">, Grüße'],
    ['an XML text that was converted to UTF-8', '', '<?xml version="1.0" encoding="ISO-8859-1"?><a>Grüße</a>'],
    ['a page that was converted to UTF-8', 'text/html', '<meta charset="iso-8859-1"><p>Grüße'],
    ['the default of a server', 'text/html; charset=ISO-8859-1', '<p>Grüße'],
    ['an example in a page', 'text/html', '<p>Grüße</p><code><meta charset="gbk"></code>'],
    ['a page that cannot be in UTF-16', 'text/html', '<meta charset="utf-16"><p>Grüße'],
  ])('does not take what is declared in %s for an encoding', (_what, type, content) => {
    expect(readText(Buffer.from(content), type)).toEqual({ text: content, encoding: 'utf-8', isUncertain: false });
  });

  test.each(['', 'text/plain; charset=utf-8'])('keeps UTF-8 with a bad byte, declared as "%s"', (type) => {
    const bytes = inMarkup('Grüße aus ', hex('ff'), 'Köln und 東京');
    expect(readText(bytes, type).text).toBe('Grüße aus \uFFFDKöln und 東京');
    expect(readText(inMarkup('One ü, then ', hex('e9'), '.'), type).text).toBe('One ü, then \uFFFD.');
    expect(readText(inMarkup('One ü, and cut: ', hex('c3'), ''), type).text).toBe('One ü, and cut: \uFFFD');
  });

  test.each([
    ['shift_jis', LONG_SHIFT_JIS, 'こんにちは世界。これはテストです。'],
    ['windows-1251', LONG_1251, 'Привет, мир. Это проверка.'],
    ['iso-2022-jp', hex('1b24 42 2433 2473 244b 2441 244f 1b28 42'), 'こんにちは'],
    [
      'windows-1252',
      Buffer.from('Der Käufer zahlt für die Übergabe der Schlüssel', 'latin1'),
      'Der Käufer zahlt für die Übergabe der Schlüssel',
    ],
  ])('recognizes %s that nobody declared, and that is not the UTF-8 of its header', (encoding, bytes, text) => {
    const found = { text, encoding, isUncertain: false };
    expect(readText(bytes)).toEqual(found);
    expect(readText(bytes, 'text/plain; charset=utf-8')).toEqual(found);
  });

  test.each(['© 2024 Acme', '25 °C ± 2 °C, 5 m²', 'naïve café'])('takes few signs for the usual ones: %s', (text) => {
    const found = { text, encoding: 'windows-1252', isUncertain: true };
    expect(readText(Buffer.from(text, 'latin1'))).toEqual(found);
  });

  test('believes what is declared within a text that has no characters of UTF-8', () => {
    const ascii = inMarkup('<meta charset="koi8-r"><p>', hex('61'), '');
    expect(readText(ascii, 'text/html').encoding).toBe('koi8-r');
    const japanese = hex('1b24 42 2433 2473 244b 2441 244f 1b28 42');
    const { text } = readText(inMarkup('<meta charset="iso-2022-jp"><p>', japanese, ''), 'text/html');
    expect(text).toContain('こんにちは');
  });

  test('says that it is not sure of a few letters', () => {
    const read = readText(Buffer.from('Grüße', 'latin1'));
    expect(read).toEqual({ text: 'Grüße', encoding: 'windows-1252', isUncertain: true });
    expect(encodingNotice(read)).toContain('windows-1252');
    expect(encodingNotice(readText(Buffer.from('Grüße')))).toBeUndefined();
  });
});

function cutUp(bytes: Uint8Array, size: number): TextChunks {
  const chunks = async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  return new TextChunks(chunks());
}

async function readCut(bytes: Uint8Array, size: number): Promise<string> {
  let read = '';
  for await (const part of cutUp(bytes, size)) read += part;
  return read;
}

test('TextChunks recognizes an encoding by the first chunk that is not ASCII alone', async () => {
  const ascii = 'x'.repeat(64);
  expect(await readCut(Buffer.concat([Buffer.from(ascii), LONG_1251]), 64)).toBe(`${ascii}Привет, мир. Это проверка.`);
  expect(await readCut(Buffer.from(`${ascii}Grüße`), 64)).toBe(`${ascii}Grüße`);
  expect(await readCut(Buffer.from(ascii), 16)).toBe(ascii);
});

test('TextChunks reads a declaration at the beginning alone', async () => {
  const declaration = '<meta charset=koi8-r>';
  const text = Buffer.concat([Buffer.from(declaration), KOI8]);
  expect(await readCut(text, declaration.length)).toBe(`${declaration}Привет`);
  const later = Buffer.from(`${'x'.repeat(declaration.length)}${declaration}Grüße`);
  expect(await readCut(later, declaration.length)).toContain('Grüße');
});

test('TextChunks says that it is not sure of a few letters, once they have come', async () => {
  const few = Buffer.from('xxGrüße', 'latin1');
  const [read, notices] = [cutUp(few, 2), new Array<string | undefined>()];
  let text = '';
  for await (const part of read) {
    text += part;
    notices.push(read.notice);
  }
  const notice = encodingNotice(readText(few));
  expect([text, notices]).toEqual(['xxGrüße', [undefined, undefined, notice, notice, notice]]);
});

test.each([
  ['utf-8', Buffer.from('Grüße, 世界 🌍'), 'Grüße, 世界 🌍'],
  ['utf-16le', Buffer.from('\uFEFFGrüße, 世界 🌍', 'utf16le'), 'Grüße, 世界 🌍'],
  ['shift_jis', LONG_SHIFT_JIS, 'こんにちは世界。これはテストです。'],
])('TextChunks decodes %s that is cut anywhere', async (_encoding, bytes, text) => {
  for (const size of [29, 30, 31]) expect(await readCut(bytes, size)).toBe(text);
});
