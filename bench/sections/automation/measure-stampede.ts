import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CpuUse, CpuWindow } from '../../figures/cpu-window.ts';
import { quantile } from '../../figures/statistics.ts';
import { inDatabase } from '../../instance/in-database.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { type Instance, instanceMeters } from '../../instance/instance.ts';
import { atOnce } from '../../loads/request-rate.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import type { Bench } from '../../section.ts';
import { add, ANSWER, openOrgs, orgIdsOf, type Owner, waitForRuns, waitForSchedules } from './open-orgs.ts';

const WIDTH = 8;
/** The shares of the schedules that organizations have, beside one that has a single one. */
const SHARES = [0.8, 0.1, 0.1];
const LIMIT_SECONDS = 30;
/** From now to the slot that all schedules share: some time, and as long as it takes to add each and tell Temporal. */
const AHEAD_MS = 10_000;
const EACH_MS = 100;

/** From the slot, in seconds: when its run was stored, its turn was stored, and a worker began the turn. */
interface StartedRun {
  readonly orgId: string;
  readonly stored: number;
  readonly begun: number;
  readonly claimed: number;
}

/** Measures and prints how soon the runs of schedules begin that are due at the same time. */
export async function measureStampede({ instance, options }: Bench): Promise<Target[]> {
  await new ModelControl(instance.model.url).followDirectives();
  const counts = [...SHARES.map((share) => Math.round(share * options.dueSchedules)), 1];
  const owners = await openOrgs(instance, counts.length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const slot = new Date(Date.now() + AHEAD_MS + total * EACH_MS);
  for (const [at, owner] of owners.entries()) await addSchedules(owner, counts[at] ?? 0, slot);
  await waitForSchedules(instance, owners);
  const storedBefore = statSync(instance.temporalStore).size;
  await sleep(slot.getTime() - Date.now());
  const cpu = new CpuWindow(instanceMeters(instance));
  cpu.mark();
  const { lastEndedAt } = await waitForRuns(instance, owners, total);
  cpu.mark();
  const storedBytes = statSync(instance.temporalStore).size - storedBefore;
  const runs = await readStarts(instance, owners);
  const ofOrgs = owners.map(({ user }) => runs.filter(({ orgId }) => orgId === user.orgId));
  print([...ofOrgs, runs]);
  printCpu(cpu.use, total);
  const last = (of: readonly StartedRun[] | undefined) => Math.max(...(of ?? []).map(({ claimed }) => claimed));
  return [
    target(`${total} schedules of one minute, the last started after`, last(runs), LIMIT_SECONDS),
    target('  the one of an organization that has no other', last(ofOrgs.at(-1)), LIMIT_SECONDS / 2),
    {
      name: '  runs a second to their end',
      measured: (total * 1000) / (lastEndedAt - slot.getTime()),
      better: 'more',
      unit: '/s',
    },
    { name: '  store of Temporal for each', measured: storedBytes / total / 1000, better: 'less', unit: 'kB' },
  ];
}

async function addSchedules({ user, agentId }: Owner, count: number, slot: Date): Promise<void> {
  await atOnce(count, WIDTH, async (at) =>
    add(user, '/api/schedules', {
      name: `Report ${at}`,
      agent_id: agentId,
      prompt: ANSWER,
      interval_minutes: 10_000,
      start_at: slot.toISOString(),
    }),
  );
}

async function readStarts(instance: Instance, owners: readonly Owner[]): Promise<StartedRun[]> {
  return inDatabase(instance, async (client) => {
    const after = (time: string) => `extract(epoch from ${time} - r.slot)::float8`;
    const { rows } = await client.query<StartedRun>(
      `select r.org_id as "orgId", ${after('r.created_at')} as stored, ${after('r.started_at')} as begun,
        ${after('t.started_at')} as claimed
      from workflow_runs r join turns t on t.run_id = r.id where r.org_id = any($1)`,
      [orgIdsOf(owners)],
    );
    return rows;
  });
}

function print(orgs: readonly (readonly StartedRun[])[]): void {
  printHeading('Schedules that are due at the same time: seconds from their slot');
  const figuresOf = (values: readonly number[]) => [figure(quantile(values, 0.5)), figure(Math.max(...values))];
  printRows([
    ['', 'run stored p50', 'last', 'turn stored p50', 'last', 'turn begun p50', 'last'],
    ...orgs.map((runs, at) => [
      at === orgs.length - 1 ? `all ${runs.length}` : `organization of ${runs.length}`,
      ...figuresOf(runs.map(({ stored }) => stored)),
      ...figuresOf(runs.map(({ begun }) => begun)),
      ...figuresOf(runs.map(({ claimed }) => claimed)),
    ]),
  ]);
}

function printCpu({ used, othersLoad }: CpuUse, runs: number): void {
  const parts = [...used].map(([name, ms]) => `${name} ${figure(ms / runs)}`).join(', ');
  process.stdout.write(
    `  CPU of a run from its slot to its end, ms: ${parts}; others used ${figure(othersLoad * 100, 0)} %\n`,
  );
}

function target(name: string, measured: number, bound: number): Target {
  return { name, measured, bound, better: 'less', unit: 's' };
}
