import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isLong } from '../support/in-length.ts';
import { AttackRun } from './attack-run.ts';
import { attackFamilies } from './attacks/index.ts';
import { TABLE_HEAD, tableRow, tableSum } from './table.ts';

/** One attack each on the worker's computing, on its calls of models, on sockets and streams, and on the api. */
const IN_EVERY_RUN = ['calculations', 'provider streams', 'connections', 'requests'];
const families = isLong
  ? attackFamilies
  : attackFamilies
      .filter(({ name }) => IN_EVERY_RUN.includes(name))
      .map(({ name, attacks }) => ({ name, attacks: attacks.slice(0, 1) }));
/** How long each attack goes on at least. */
const attackMs = isLong ? Number(process.env['EVERTURN_HOSTILE_SECONDS'] ?? '2') * 1_000 : 500;

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

// Jest's console would add the place of each line.
function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
