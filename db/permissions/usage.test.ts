import { beforeAll, describe, expect, test } from '@jest/globals';
import { Random } from '../../test/support/random.ts';
import { insertAgent, insertChat, insertOrg, insertUser } from '../../test/support/rows.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { readMemberUsage } from './usage.ts';

const database = serveTestDatabase({ poolSize: 2 });
let orgId: string;
let chatId: string;
let userId: string;
let colleagueId: string;

beforeAll(async () => {
  orgId = await insertOrg(database);
  userId = await insertUser(database);
  colleagueId = await insertUser(database);
  chatId = await insertChat(database, { orgId, userId, agentId: await insertAgent(database, orgId) });
});

/** Stores a model step that was taken so many seconds ago. */
async function use(byUserId: string, tokens: number, secondsAgo: number): Promise<void> {
  await database.system.query(
    `with turn as (
        insert into turns (id, org_id, chat_id, user_id, status, started_at, ended_at)
        values (gen_random_uuid(), $1, $2, $3, 'completed', now(), now()) returning id
      )
      insert into token_usage (turn_id, step, org_id, chat_id, user_id, model, input_tokens, output_tokens, estimated, created_at)
      select id, 0, $1, $2, $3, 'm', $4, 1, false, now() - $5 * interval '1 second' from turn`,
    [orgId, chatId, byUserId, tokens - 1, secondsAgo],
  );
}

async function usedWithin(windowHours: readonly number[]): Promise<number[]> {
  const budgets = windowHours.map((hours) => ({ tokens: 1_000_000, windowHours: hours }));
  const { budgets: uses } = await readMemberUsage(database, { orgId, userId }, budgets);
  return uses.map(({ usedTokens }) => usedTokens);
}

describe('how much of a budget is used', () => {
  test('is the sum of the steps in its window, whatever the time within the hour', async () => {
    const random = new Random(1);
    const steps = Array.from({ length: 60 }, () => ({ tokens: 1 + random.below(500), ago: random.below(6 * 3600) }));
    for (const { tokens, ago } of steps) await use(userId, tokens, ago);
    await use(colleagueId, 10_000, 60);
    // Windows of whole hours, with no step close to their ends.
    const windows = [1, 2, 3, 5, 24, 0].filter((hours) => steps.every(({ ago }) => Math.abs(ago - hours * 3600) > 30));
    expect(windows.length).toBeGreaterThan(3);
    const expected = windows.map((hours) =>
      steps.filter(({ ago }) => hours === 0 || ago < hours * 3600).reduce((total, { tokens }) => total + tokens, 0),
    );
    expect(await usedWithin(windows)).toEqual(expected);
  });

  test('keeps what was used when its turns are removed', async () => {
    const [before] = await usedWithin([0]);
    await use(userId, 70, 7200);
    await database.system.query('delete from turns where user_id = $1', [userId]);
    expect(await usedWithin([0])).toEqual([(before ?? 0) + 70]);
  });
});
