import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { attackFamilies } from './attacks/index.ts';
import { AttackRun } from './attack-run.ts';
import { percentile, TABLE_HEAD, tableRow, tableSum } from './table.ts';

const P95_LIMIT_MS = 1_500;
/** Of the few turns that fall into one attack: it must not hold everybody up for as long as it lasts. */
const MEDIAN_LIMIT_MS = 3_000;

let attackRun: AttackRun;
beforeAll(async () => {
  attackRun = await AttackRun.begin();
  print(TABLE_HEAD);
}, 150_000);
afterAll(async () => {
  print(tableSum(attackRun.results));
  await attackRun.end();
}, 90_000);

describe.each(attackFamilies)('others are answered and no process ends, $name:', ({ name: family, attacks }) => {
  test.each(attacks)(
    'an account $name',
    async (attack) => {
      const result = await attackRun.carryOut(family, attack);
      print(tableRow(result));
      if (result.outcome === undefined) throw result.fault;
      expect(result.ended).toEqual([]);
      expect(result.turns.flatMap(({ failure }) => failure ?? [])).toEqual([]);
      expect(percentile(result.turns, 0.5)).toBeLessThan(MEDIAN_LIMIT_MS);
    },
    120_000,
  );
});

describe('an organization beside all these accounts', () => {
  test(`has 95 of 100 turns answered within ${P95_LIMIT_MS / 1000} seconds`, () => {
    const turns = attackRun.results.flatMap((result) => result.turns);
    expect(turns.length).toBeGreaterThan(0);
    expect(percentile(turns, 0.95)).toBeLessThan(P95_LIMIT_MS);
  });
});

// Jest's console would add the place of each line.
function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
