import { expect, test } from '@jest/globals';
import { decodeText, markedEncoding } from './decode-text.ts';

const TEXT = 'Grüße, 世界 🌍';
const toUtf8 = (text: string) => new TextEncoder().encode(text);
const UTF16 = toUtf16(`\uFEFF${TEXT}`, true);

function toUtf16(text: string, isLittleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), isLittleEndian);
  return new Uint8Array(view.buffer);
}

const ENCODED: [string, Uint8Array][] = [
  ['UTF-8', toUtf8(TEXT)],
  ['UTF-8 with a mark', toUtf8(`\uFEFF${TEXT}`)],
  ['UTF-16, little-endian', UTF16],
  ['UTF-16, big-endian', toUtf16(`\uFEFF${TEXT}`, false)],
];

test.each(ENCODED)('a text in %s is decoded without its mark', async (_what, bytes) => {
  expect(decodeText(bytes)).toBe(TEXT);
});

test('a mark goes before an encoding that is said elsewhere', () => {
  expect(decodeText(UTF16, 'windows-1252')).toBe(TEXT);
  expect(decodeText(Uint8Array.from([0x47, 0x72, 0xfc, 0xdf, 0x65]), 'windows-1252')).toBe('Grüße');
});

test('bytes without a mark, or with that of UTF-32, have none', () => {
  for (const bytes of [[], [0xff], [0x46, 0xff, 0xfe], [0xff, 0xfe, 0, 0]]) {
    expect(markedEncoding(Uint8Array.from(bytes))).toBeUndefined();
  }
  expect(markedEncoding(Uint8Array.from([0xff, 0xfe]))).toBe('utf-16le');
});
