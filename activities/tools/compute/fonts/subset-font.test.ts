import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { create } from 'fontkit';
import { subsetFont } from './subset-font.ts';

const FONT = readFileSync(new URL(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')));

test('a file that is no font, and one that does not fit in memory, are failures that leave no memory in use', () => {
  // All of them together are more than the memory holds.
  const broken = Buffer.alloc(40_000_000);
  for (let time = 0; time < 60; time += 1)
    expect(() => subsetFont(broken, ['a'], 400)).toThrow('The fonts for the text cannot be made');
  const huge = { length: 0x7fff_ffff } as Uint8Array;
  expect(() => subsetFont(huge, ['a'], 400)).toThrow('The fonts for the text cannot be made');
  expect(create(subsetFont(FONT, ['a'], 400))).toMatchObject({ characterSet: expect.arrayContaining([0x61]) });
});
