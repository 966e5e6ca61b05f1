import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { checkScriptFile, scriptIssue } from './script-file.ts';

const MAX_FILE = 256 * 1024;
const rejected = async (source: string) =>
  checkScriptFile(source, 'a').then(
    () => undefined,
    (error: Error) => error.message,
  );

describe('a main.js', () => {
  test.each([
    [
      'what the engine runs',
      '#!/usr/bin/env node\nclass A { static #x = 1 }\nexport default async ({ a }) => await a ?? /[\\p{L}--[a-z]]/v;',
    ],
    ['nothing yet', ''],
    ['no default export yet', 'const helper = () => 1;'],
    ['a text of the largest size', ';'.repeat(MAX_FILE)],
  ])('may hold %s', async (_what, source) => {
    expect(await rejected(source)).toBeUndefined();
  });

  test.each([
    [
      'export default () => {\n  const a = ;\n}',
      'main.js cannot be read as JavaScript: Unexpected token (line 2, column 13)',
    ],
    [
      'let a; let a;',
      "main.js cannot be read as JavaScript: Identifier 'a' has already been declared (line 1, column 12)",
    ],
    [
      'export default () => 1;\nimport x from "x";',
      'main.js imports another module, and there is none (line 2, column 1)',
    ],
    ['export * from "x";', 'main.js imports another module, and there is none (line 1, column 1)'],
    ['['.repeat(MAX_FILE), expect.stringContaining('Not enough stack space')],
  ])('is refused with the place: %j', async (source, words) => {
    expect(await rejected(source)).toEqual(words);
  });

  test('that is small does not wait for a large one of the same owner', async () => {
    const read: string[] = [];
    const checked = async (name: string, source: string) => rejected(source).then(() => read.push(name));
    await Promise.all([checked('large', ';'.repeat(MAX_FILE)), checked('small', 'export default () => 1;')]);
    expect(read).toEqual(['small', 'large']);
  });

  test('that takes long to read does not keep the process from other work', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `a${at.toString(36)}`).join(',');
    const reading = rejected(`let ${names}`);
    // Each turn takes some microseconds, so that there are many of them however soon it is read elsewhere.
    let turns = 0;
    while (turns < 100 && (await Promise.race([reading, nextTurn('not yet')])) === 'not yet') turns += 1;
    await reading;
    expect(turns).toBe(100);
  });
});

test("the operator's files are read at once", () => {
  expect(scriptIssue('export default () => 1')).toBeUndefined();
  expect(scriptIssue('export default (')).toContain('(line 1, column 17)');
});
