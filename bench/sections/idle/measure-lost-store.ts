import { rmSync } from 'node:fs';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { inDatabase } from '../../instance/in-database.ts';
import type { Instance } from '../../instance/instance.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { atOnce } from '../../loads/request-rate.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';
import { add, ANSWER, openOrgs, type Owner, waitForRuns, waitForSchedules } from '../automation/open-orgs.ts';
import { addIdleSchedules } from './measure-idle.ts';

/** Organizations with idle schedules; one more has the schedules of each minute, and another the open runs. */
const OWNERS = 10;
const WIDTH = 8;
const EACH_MINUTE = 100;
const OPEN_RUNS = 100;
const SLOW_ANSWER = '[[think 5s]] [[say done]]';
const LIMIT_MS = 30 * 60_000;
const OPEN_LIMIT_SECONDS = 120;
const ALL_LIMIT_SECONDS = 600;

/** Measures and prints how soon all goes on when Temporal is killed and its store deleted. */
export async function measureLostStore({ startFresh, options }: Bench): Promise<SectionResult> {
  const instance = await startFresh();
  await new ModelControl(instance.model.url).followDirectives();
  const idle = await openOrgs(instance, OWNERS);
  const [busy, working] = await openOrgs(instance, 2);
  if (busy === undefined || working === undefined) throw new Error('no organizations');
  await addIdleSchedules(instance, idle, options.idleSchedules);
  await atOnce(EACH_MINUTE, WIDTH, async (at) => {
    const fields = { name: `Minute ${at}`, agent_id: busy.agentId, prompt: ANSWER, cron_expr: '* * * * *' };
    await add(busy.user, '/api/schedules', fields);
  });
  await waitForSchedules(instance, [busy]);
  await startRuns(working);

  const namespace = await namespaceOf(instance);
  const lostAt = loseStore(instance);
  const secondsOf = (at: number) => (at - lostAt) / 1000;
  const { lastEndedAt } = await waitForRuns(instance, [working], OPEN_RUNS);
  const fired = secondsOf(await waitForSlots(instance, busy, lostAt));
  await waitForNamespace(instance, namespace);
  await waitForSchedules(instance, [...idle, busy]);
  const all = secondsOf(Date.now());
  await instance.stop();
  const total = options.idleSchedules + EACH_MINUTE;
  printHeading(`Temporal loses its store with ${total} schedules: seconds from the kill`);
  printRows([
    [`${OPEN_RUNS} open runs have ended`, figure(secondsOf(lastEndedAt))],
    [`${EACH_MINUTE} schedules of each minute have fired again`, figure(fired)],
    ['Temporal knows all schedules', figure(all)],
  ]);
  const target = (name: string, measured: number, bound: number) =>
    ({ name, measured, bound, better: 'less', unit: 's' }) as const;
  return {
    targets: [
      target('lost store: open runs have ended after', secondsOf(lastEndedAt), OPEN_LIMIT_SECONDS),
      target('  schedules of each minute have fired again after', fired, OPEN_LIMIT_SECONDS),
      target(`  ${total} schedules are known again after`, all, ALL_LIMIT_SECONDS),
    ],
  };
}

// Their turns are asking the model when Temporal is killed.
async function startRuns({ user, agentId }: Owner): Promise<void> {
  const steps = [{ name: 'answer', prompt_template: SLOW_ANSWER }];
  const id = await add(user, '/api/workflows', { name: 'Answer', agent_id: agentId, steps });
  await atOnce(OPEN_RUNS, WIDTH, async () => {
    const { status } = await user.client.post(`/api/workflows/${id}/trigger`, {});
    if (status !== 202) throw new Error(`a trigger was answered with ${status}`);
  });
}

// The supervisor starts another server, which makes a store anew.
function loseStore(instance: Instance): number {
  const pid = instance.pid('Temporal');
  if (pid === undefined) throw new Error('Temporal does not run');
  process.kill(pid, 'SIGKILL');
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${instance.temporalStore}${suffix}`, { force: true });
  return Date.now();
}

/** Returns when the last of the schedules stored a run of a slot after the loss. */
async function waitForSlots(instance: Instance, { user }: Owner, lostAt: number): Promise<number> {
  const text = `select extract(epoch from r.at)::float8 * 1000 as at from schedules s
    left join lateral (
      select min(created_at) as at from workflow_runs where schedule_id = s.id and slot > $2
    ) r on true
    where s.org_id = $1 order by r.at desc nulls first limit 1`;
  return waitUntil(
    'each schedule to fire',
    async () =>
      inDatabase(instance, async (client) => {
        const { rows } = await client.query<{ at: number | null }>(text, [user.orgId, new Date(lostAt)]);
        return rows[0]?.at ?? undefined;
      }),
    LIMIT_MS,
  );
}

// The rows are noted as unknown to Temporal before the new namespace is.
async function waitForNamespace(instance: Instance, before: string): Promise<void> {
  const namespace = async () => ((await namespaceOf(instance)) === before ? undefined : true);
  await waitUntil('the loss to be noticed', namespace, LIMIT_MS);
}

async function namespaceOf(instance: Instance): Promise<string> {
  return inDatabase(instance, async (client) => {
    const { rows } = await client.query<{ id: string }>('select namespace_id as id from installation');
    return rows[0]?.id ?? '';
  });
}
