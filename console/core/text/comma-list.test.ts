import { expect, test } from '@jest/globals';
import { lineOf, partsOfLine } from './formats.ts';

test('a line is read as what stands between its commas, each once', () => {
  expect(partsOfLine(' code,review ,, code')).toEqual(['code', 'review']);
  expect(partsOfLine(' , ')).toEqual([]);
  expect(partsOfLine(lineOf(['code', 'review']))).toEqual(['code', 'review']);
});
