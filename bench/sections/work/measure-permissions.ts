import pg from 'pg';
import {
  createAgent,
  createChat,
  createProvider,
  registerUser,
  type TestUser,
} from '../../../test/support/factories.ts';
import { join } from '../../../test/support/invitations.ts';
import { ChatClient } from '../../drivers/chat-client.ts';
import type { Instance } from '../../instance/instance.ts';
import { addedMs, compareTurns, type TimedTurn } from '../../loads/timed-turn.ts';
import { latencyRow } from '../../loads/latency.ts';
import type { OpenChat } from '../../instance/open-chat.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import { type Asker, measureRequests, mediansOf } from '../../loads/request-rate.ts';
import type { Bench, SectionResult } from '../../section.ts';

const AGENTS = 50;
/** Model steps of the limited member that lie in the window of the budget. */
const USAGE_ROWS = 1_000;
const ROUNDS = 8;
const ROUND_MS = 500;
/** A difference of two milliseconds is looked for in turns that vary by twenty. */
const TURNS_FACTOR = 8;

/** Measures and prints what permission groups, budgets and slots cost. */
export async function measurePermissions({ instance, options }: Bench): Promise<SectionResult> {
  const owner = await registerUser(instance.apiUrl);
  await createProvider(owner.client, instance.model.url);
  const agentIds: string[] = [];
  for (let count = 0; count < AGENTS; count += 1)
    agentIds.push(await createAgent(owner.client, { name: `A ${count}` }));
  const free = await join(owner);
  const limited = await join(owner);
  await limit(owner, limited);
  await useTokens(instance, limited);

  const health = asker('GET /healthz, for comparison', free, '/healthz');
  const without = asker('GET /api/agents, in no group', free, '/api/agents');
  const within = asker('GET /api/agents, in a group', limited, '/api/agents');
  await measureRequests(instance.apiUrl, [health, without, within], { rounds: ROUNDS, roundMs: ROUND_MS });
  printHeading(`${AGENTS} agents: requests a second over 8 connections, and one request at a time`);
  printRows([['', 'requests/s', 'p50 ms'], ...[health, without, within].map(toRow)]);

  const [agentId] = agentIds;
  const chats = { plain: await open(instance, free, agentId), other: await open(instance, limited, agentId) };
  const turns = await compareTurns(instance, chats, options.comparedTurns * TURNS_FACTOR);
  const added = addedMs(turns, ({ ownMs }) => ownMs);
  printHeading(`A plain turn, ${turns.plain.length} of each, without the time of the model (ms)`);
  printRows([
    ['', 'p50', 'p95'],
    latencyRow('without limits', ownTimes(turns.plain)),
    latencyRow(`with a budget (${USAGE_ROWS} steps in its window) and slots`, ownTimes(turns.other)),
    ['what they add, median of the pairs', figure(added), ''],
  ]);
  for (const { client } of Object.values(chats)) client.close();
  return {
    targets: [
      {
        name: 'GET /api/agents in a group, p50',
        measured: mediansOf(within).ms,
        better: 'less',
        unit: 'ms',
        floor: mediansOf(without).ms,
      },
      { name: 'what budgets and slots add to a turn, p50', measured: added, bound: 2, better: 'less', unit: 'ms' },
    ],
  };
}

/** Puts a member into a group with every kind of limit, none of which is reached. */
async function limit(owner: TestUser, { id }: TestUser): Promise<void> {
  const catalog = await owner.client.get<{ key: string }[]>('/api/permissions/catalog');
  const { json: group } = await owner.client.post<{ id: string }>('/api/permissions/groups', {
    name: 'Limited',
    permissions: catalog.json.map(({ key }) => key),
    limits: { token_budget: 1_000_000_000, token_window_hours: 24, max_concurrent_agents: 10 },
  });
  await owner.client.send('PUT', `/api/permissions/groups/${group.id}/members`, { user_ids: [id] });
}

/** Gives a member model steps of the last day, as if they had been taken. */
async function useTokens({ databaseUrl }: Instance, user: TestUser): Promise<void> {
  const chatId = await createChat(user.client);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `with past as (
        insert into turns (id, org_id, chat_id, user_id, status, attempt, step, started_at, ended_at)
        select uuidv7(), $1, $2, $3, 'completed', 1, 0, now(), now() from generate_series(1, $4::int) returning id
      )
      insert into token_usage (turn_id, step, org_id, user_id, chat_id, model, input_tokens, output_tokens, estimated, created_at)
      select id, 0, $1, $3, $2, 'scripted-1', 100, 20, false, now() - random() * interval '20 hours' from past`,
      [user.orgId, chatId, user.id, USAGE_ROWS],
    );
    // As autovacuum does for tables that have grown.
    await client.query('vacuum (analyze) turns, token_usage');
  } finally {
    await client.end();
  }
}

async function open({ apiUrl }: Instance, user: TestUser, agentId: string | undefined): Promise<OpenChat> {
  const id = await createChat(user.client, agentId);
  return { user, id, client: await ChatClient.connect(apiUrl, id, user.accessToken) };
}

const ownTimes = (turns: readonly TimedTurn[]) => turns.map(({ ownMs }) => ownMs);

function asker(name: string, user: TestUser, path: string): Asker {
  return { name, user, path, figures: { singly: [], rates: [] } };
}

function toRow(one: Asker): string[] {
  const { rate, ms } = mediansOf(one);
  return [one.name, figure(rate, 0), figure(ms, 2)];
}
