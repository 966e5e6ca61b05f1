import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { Output } from './output.ts';

const CONTROLS = 'red \u001b[31m, again \u009b31m, deleted \u007f';

test('JSON on a terminal is without control characters, and says the same', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()].map((stream) =>
    Object.assign(stream, { isTTY: true }),
  );
  if (stdout === undefined || stderr === undefined) throw new Error('there is no stream');
  const output = new Output({ stdout, stderr }, true);
  output.result({ content: CONTROLS }, () => '');
  output.failure(CONTROLS);
  const [result, failure] = [stdout, stderr].map((stream) => String(stream.read()));
  expect([result, failure].join('')).not.toMatch(/[^\P{Cc}\n]/u);
  expect([JSON.parse(result ?? ''), JSON.parse(failure ?? '')]).toEqual([{ content: CONTROLS }, { error: CONTROLS }]);
});
