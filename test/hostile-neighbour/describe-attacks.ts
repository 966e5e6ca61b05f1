import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AttackFamily } from './attack.ts';
import { AttackRun } from './attack-run.ts';
import { TABLE_HEAD, tableRow, tableSum } from './table.ts';

/** Describes attacks, each of which goes on for at least so long, and what others notice of them. */
export function describeAttacks(families: readonly AttackFamily[], attackMs: number): void {
  let attackRun: AttackRun;
  beforeAll(async () => {
    attackRun = await AttackRun.begin(attackMs);
    print(TABLE_HEAD);
  });
  afterAll(async () => {
    print(tableSum(attackRun.results));
    await attackRun.end();
  });

  describe.each(families)('others are answered and no process ends, $name:', ({ name: family, attacks }) => {
    test.each(attacks)('an account $name', async (attack) => {
      const result = await attackRun.run(family, attack);
      print(tableRow(result));
      if (result.outcome === undefined) throw result.fault;
      expect(result.ended).toEqual([]);
      expect(result.turns.length).toBeGreaterThan(0);
      expect(result.turns.flatMap(({ failure }) => failure ?? [])).toEqual([]);
    });
  });
}

// Jest's console would add the place of each line.
function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
