import { expect, test } from '@jest/globals';
import { decodeChunks, decodeText, markedEncoding } from './decode-text.ts';

const TEXT = 'Grüße, 世界 🌍';
const UTF16 = Buffer.from(`\uFEFF${TEXT}`, 'utf16le');

const ENCODED: [string, Buffer][] = [
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-8 with a mark', Buffer.from(`\uFEFF${TEXT}`)],
  ['UTF-16, little-endian', UTF16],
  ['UTF-16, big-endian', Buffer.from(UTF16).swap16()],
];

test.each(ENCODED)('a text in %s is decoded without its mark, whole or in chunks', async (_what, bytes) => {
  expect(decodeText(bytes)).toBe(TEXT);
  for (const size of [4, 5, 7]) {
    const chunks = async function* chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    let text = '';
    for await (const part of decodeChunks(chunks())) text += part;
    expect(text).toBe(TEXT);
  }
});

test('a mark goes before an encoding that is said elsewhere', () => {
  expect(decodeText(UTF16, 'windows-1252')).toBe(TEXT);
  expect(decodeText(Buffer.from('Gr\xFC\xDFe', 'latin1'), 'windows-1252')).toBe('Grüße');
});

test('bytes without a mark, or with that of UTF-32, have none', () => {
  for (const bytes of [[], [0xff], [0x46, 0xff, 0xfe], [0xff, 0xfe, 0, 0]]) {
    expect(markedEncoding(Uint8Array.from(bytes))).toBeUndefined();
  }
  expect(markedEncoding(Uint8Array.from([0xff, 0xfe]))).toBe('utf-16le');
});
