import { expect, test } from '@jest/globals';
import { findMutants, mutate } from './find-mutants.ts';

test('finds statements to drop, conditions to negate, and boundaries and operators to swap', () => {
  const text = [
    "if (count < 3 && name !== '') begin();",
    "else throw new Error('late');",
    'const ended = await query(`select 1 from turns where ended_at is null and seq <= $1`);',
    'const label = isOpen ? a : b;',
  ].join('\n');
  const broken = findMutants('some.ts', text).map((mutant) => ({ line: mutant.line, text: mutate(text, mutant) }));
  const lines = broken.map(({ line, text: after }) => [line, after.split('\n')[line - 1]]);
  expect(lines).toEqual([
    [1, "if (!(count < 3 && name !== '')) begin();"],
    [1, "if (count < 3 || name !== '') begin();"],
    [1, "if (count <= 3 && name !== '') begin();"],
    [1, "if (count < 3 && name === '') begin();"],
    [1, "if (count < 3 && name !== '') ;"],
    [2, 'else ;'],
    [3, 'const ended = await query(`select 1 from turns where ended_at is not null and seq <= $1`);'],
    [3, 'const ended = await query(`select 1 from turns where ended_at is null or seq <= $1`);'],
    [3, 'const ended = await query(`select 1 from turns where ended_at is null and seq < $1`);'],
    [4, 'const label = !(isOpen) ? a : b;'],
  ]);
});
