import { describe, expect, test } from '@jest/globals';
import type { AttemptRecord } from '../../domain/turns.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { readTrace } from './read-trace.ts';
import { traceStatements } from './trace-rows.ts';

const MAX_BYTES = 4 * 1024 ** 2;

const database = serveTestDatabase({ poolSize: 2 });

/** As many attempts as are kept of a step, with as many failed calls as are kept of each. */
function longTrace(): AttemptRecord[] {
  const at = new Date(0).toISOString();
  const call = {
    account: 'a'.repeat(100),
    accountId: null,
    providerType: 'openai-compatible',
    model: 'm'.repeat(100),
    startedAt: at,
    firstTokenAt: null,
    endedAt: at,
    outcome: 'failed',
    failure: 'busy',
    reason: 'r'.repeat(300),
  } as const;
  return Array.from({ length: 32 }, () => ({ at, tries: Array.from({ length: 8 }, () => call) }));
}

/** A turn with so many stored steps, each with a trace that is as long as one can become, and small on the disk. */
async function turnWith(steps: number): Promise<{ readonly chat: ChatFixture; readonly turnId: string }> {
  const chat = await ChatFixture.create(database);
  await chat.accept();
  const { turnId } = await chat.begin();
  await database.system.query(
    `insert into model_steps (turn_id, step, org_id, text, trace)
      select $1, step, $2, '', $3::jsonb from generate_series(0, $4 - 1) as step`,
    [turnId, chat.ref.orgId, JSON.stringify(longTrace()), steps],
  );
  return { chat, turnId };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('the attempts of a trace', () => {
  test('are read up to a bound in memory, which their size on the disk does not reveal, and the first are kept', async () => {
    const { chat, turnId } = await turnWith(60);
    const { orgId, chatId } = chat.ref;
    const { rows } = await database.system.query<{ stored: number }>(
      'select sum(pg_column_size(trace))::int as stored from model_steps where turn_id = $1',
      [turnId],
    );
    expect(rows[0]?.stored).toBeLessThan(MAX_BYTES);
    expect(bytesOf(longTrace()) * 60).toBeGreaterThan(2 * MAX_BYTES);
    const [, readSteps] = traceStatements(turnId);
    const read = await database.tenant.query(orgId, readSteps);
    const kept = read.filter(({ trace }) => trace !== null);
    expect(read).toHaveLength(60);
    expect(kept.map(({ step }) => step)).toEqual(kept.map((_, index) => index));
    expect(kept.length).toBeGreaterThan(10);
    expect(bytesOf(kept)).toBeLessThan(MAX_BYTES * 1.05);
    const reader = { orgId, userId: chat.userId, seesShared: false };
    expect(await readTrace(database, reader, { chatId, turnId })).toMatchObject({ isCut: true });
  });

  test('are whole when they are few', async () => {
    const { chat, turnId } = await turnWith(2);
    const { orgId, chatId } = chat.ref;
    const { steps, isCut } = await readTrace(
      database,
      { orgId, userId: chat.userId, seesShared: false },
      { chatId, turnId },
    );
    expect(steps.filter(({ kind }) => kind === 'model_call')).toHaveLength(2 * 32 * 8);
    expect(isCut).toBe(false);
  });
});
