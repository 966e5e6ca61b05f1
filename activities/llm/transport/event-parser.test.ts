import { describe, expect, test } from '@jest/globals';
import { cpuTimeOf } from '../../../test/support/cpu-time.ts';
import { EventParser, STRAY } from './event-parser.ts';

function parse(chunks: readonly string[]) {
  const parser = new EventParser();
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

describe('EventParser', () => {
  const lines = [': hi', 'event: a', 'data: 1', 'data:2', 'id: 7', 'retry: 1', '', '', 'data', '', 'data:  x', ''];
  const expected = [
    { name: 'a', data: '1\n2' },
    { name: '', data: '' },
    { name: '', data: ' x' },
  ];

  test.each([
    ['LF', '\n'],
    ['CR', '\r'],
    ['CRLF', '\r\n'],
  ])('reads lines that end in %s, in chunks of any size', (_name, end) => {
    const text = lines.map((line) => line + end).join('');
    for (let size = 1; size <= text.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      );
      expect(parse(chunks)).toEqual(expected);
    }
  });

  test('returns an event as soon as its empty line is there', () => {
    const parser = new EventParser();
    expect(parser.push('data: 1\r\r')).toEqual([{ name: '', data: '1' }]);
    expect(parser.push('data: 2\n\nda')).toEqual([{ name: '', data: '2' }]);
  });

  test('returns an event whose end was cut off', () => {
    expect(parse(['data: 1\n\ndata: 2'])).toEqual([
      { name: '', data: '1' },
      { name: '', data: '2' },
    ]);
  });

  test('keeps lines that are no fields, bounded', () => {
    expect(parse(['{\n', ' "error": 1\n}\n'])).toEqual([{ name: STRAY, data: '{\n "error": 1\n}\n' }]);
    const [stray] = parse(Array.from({ length: 1_000 }, () => `${'x'.repeat(100)}\n`));
    expect(stray?.data.length).toBeLessThan(70_000);
  });

  test('keeps a line that is no field whole, in chunks of any size', () => {
    const text = 'data: 1\n\n{"error": "overloaded"}\r\ndata: 2\n\n';
    for (let size = 1; size <= text.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      );
      expect(parse(chunks)).toEqual([
        { name: '', data: '1' },
        { name: '', data: '2' },
        { name: STRAY, data: '{"error": "overloaded"}\n' },
      ]);
    }
  });

  test.each([
    ['lines that are no fields', 'x\n'],
    ['times to reconnect that are none', 'retry: x\n'],
  ])('refuses more than a thousand %s, which cost more than an event', (_what, line) => {
    const parser = new EventParser();
    parser.push(line.repeat(1_000));
    expect(() => parser.push(line)).toThrow('far more');
  });

  test('leaves out the mark of the byte order, whole or in bytes of their own', () => {
    expect(parse(['\uFEFFdata: 1\n\n'])).toEqual([{ name: '', data: '1' }]);
    expect(parse(['\uFEFF', 'data: 1\n\n'])).toEqual([{ name: '', data: '1' }]);
  });

  test('takes long lines in small chunks in no more than linear time', () => {
    const parser = new EventParser();
    const chunk = 'x'.repeat(100);
    parser.push('data: ');
    const took = cpuTimeOf(() => {
      for (let sent = 0; sent < 40_000; sent += 1) parser.push(chunk);
      expect(parser.push('\n\n')[0]?.data).toHaveLength(4_000_000);
    });
    expect(took).toBeLessThan(5_000);
  });
});
