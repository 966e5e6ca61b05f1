import { describe, expect, test } from '@jest/globals';
import { compare, type Round } from './comparison.ts';
import type { Target } from './target.ts';

const cost = (name: string, measured: number): Target => ({ name, measured, better: 'less', unit: 'ms' });
const round = (label: 'A' | 'B', ...targets: Target[]): Round => ({ label, targets });

describe('two checkouts that were measured by turns', () => {
  test('have the means of their rounds, the difference and half of the greater range side by side', () => {
    const [figure] = compare([
      round('A', cost('CPU', 18)),
      round('B', cost('CPU', 11)),
      round('B', cost('CPU', 9)),
      round('A', cost('CPU', 22)),
    ]);
    expect(figure).toMatchObject({
      a: { mean: 20, rounds: [18, 22] },
      b: { mean: 10, rounds: [11, 9] },
      difference: -50,
      noise: 10,
    });
  });

  test('do not mix up parts of the same name', () => {
    const targets = [cost('short', 3), cost('  api', 1), cost('long', 6), cost('  api', 2)];
    const figures = compare([round('A', ...targets), round('B', ...targets)]);
    expect(figures.map(({ target, a }) => [target.name, a.mean])).toEqual([
      ['short', 3],
      ['  api', 1],
      ['long', 6],
      ['  api', 2],
    ]);
  });

  test('are shown when only one of them could be measured', () => {
    expect(compare([round('A'), round('B', cost('CPU', 5))])).toMatchObject([
      { target: { measured: 5 }, a: { rounds: [] }, b: { mean: 5 } },
    ]);
  });
});
