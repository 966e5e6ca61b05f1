import type { TestUser } from '../../../test/support/factories.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { inDatabase } from '../../instance/in-database.ts';
import type { Instance } from '../../instance/instance.ts';
import { type Asker, atOnce, measureRequests, mediansOf } from '../../loads/request-rate.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import type { Bench } from '../../section.ts';
import { add, ANSWER, openOrgs, type Owner } from './open-orgs.ts';

const ROUNDS = 3;
const ROUND_MS = 500;
const WIDTH = 8;
const PAGE = 50;
const P50_MS = 15;
const ASK_LIMIT_MS = 120_000;

/** Measures and prints the lists of automation: whole ones, and a page of each. */
export async function measureAutomationLists({ instance, options }: Bench): Promise<Target[]> {
  const { listedSchedules: count } = options;
  const [owner] = await openOrgs(instance, 1);
  if (owner === undefined) throw new Error('nobody was registered');
  const { user } = owner;
  await addSchedules(owner, count);
  const workflowId = await addWaitingRuns(instance, owner, count);
  await addDeliveries(instance, workflowId);
  const runs = `/api/workflows/${workflowId}/runs`;
  const deliveries = `/api/workflows/${workflowId}/deliveries`;
  const paths = ['/api/schedules', '/api/approvals?status=pending', runs, deliveries];
  const whole = paths.map((path) => asker(user, path));
  const pages = paths.map((path) => asker(user, `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`));
  await measureRequests(instance.apiUrl, [...whole, ...pages], { rounds: ROUNDS, roundMs: ROUND_MS });
  printHeading(
    `Lists of ${count}, whole and ${PAGE} on a page: requests a second over 8 connections, and one at a time`,
  );
  printRows([['', 'requests/s', 'p50 ms'], ...[...whole, ...pages].map(toRow)]);
  return whole.map((each) => {
    const name = `list of ${count}, ${each.name}, p50`;
    return { name, measured: mediansOf(each).ms, bound: P50_MS, better: 'less', unit: 'ms' } as const;
  });
}

function asker(user: TestUser, path: string): Asker {
  return { name: path.replace(/[0-9a-f-]{36}/, '{id}'), user, path, figures: { singly: [], rates: [] } };
}

function toRow(one: Asker): string[] {
  const { rate, ms } = mediansOf(one);
  return [one.name, figure(rate, 0), figure(ms, 2)];
}

async function addSchedules({ user, agentId }: Owner, count: number): Promise<void> {
  await atOnce(count, WIDTH, async (at) =>
    add(user, '/api/schedules', {
      name: `Report ${at}`,
      description: 'What was sold last week, and by whom.',
      agent_id: agentId,
      prompt: `Write report ${at} of last week, and send it to the team.`,
      cron_expr: '0 9 1 1 *',
      timezone: 'Europe/Berlin',
    }),
  );
}

/** Has a workflow run so many times, each of which waits for a person before its first step; returns its id. */
async function addWaitingRuns(instance: Instance, { user, agentId }: Owner, count: number): Promise<string> {
  const workflowId = await add(user, '/api/workflows', {
    name: 'Report',
    agent_id: agentId,
    steps: [{ name: 'send', prompt_template: ANSWER, approval: true }],
    notify_url: `${instance.model.url}/nowhere`,
  });
  await atOnce(count, WIDTH, async () => {
    const { status } = await user.client.post(`/api/workflows/${workflowId}/trigger`, {
      variables: { topic: 'sales' },
    });
    if (status !== 202) throw new Error(`the trigger of a workflow answered ${status}`);
  });
  const isAsked = async () => {
    const { rows } = await inDatabase(instance, async (client) =>
      client.query("select from approvals where org_id = $1 and status = 'pending'", [user.orgId]),
    );
    return rows.length === count ? true : undefined;
  };
  await waitUntil(`${count} approvals to wait`, isAsked, ASK_LIMIT_MS);
  return workflowId;
}

// One for each run, as if it had ended and its address had been told.
async function addDeliveries(instance: Instance, workflowId: string): Promise<void> {
  await inDatabase(instance, async (client) => {
    await client.query(
      `insert into webhook_deliveries (id, org_id, target_id, run_id, status, attempts, last_status, last_attempt_at, delivered_at)
        select uuidv7(), r.org_id, w.id, r.id, 'delivered', 1, 200, now(), now()
        from workflow_runs r join webhook_targets w on w.workflow_id = r.workflow_id where r.workflow_id = $1`,
      [workflowId],
    );
    await client.query('vacuum (analyze) schedules, workflow_runs, approvals, webhook_deliveries, chats');
  });
}
