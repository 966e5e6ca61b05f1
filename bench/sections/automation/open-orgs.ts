import { createAgent, createProvider, registerUser, type TestUser } from '../../../test/support/factories.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { inDatabase } from '../../instance/in-database.ts';
import type { Instance } from '../../instance/instance.ts';

/** Somebody with an organization of their own, and an agent that says what it is told to. */
export interface Owner {
  readonly user: TestUser;
  readonly agentId: string;
}

/** How the runs of some organizations stand. Times are milliseconds since the epoch by the clock of the database. */
export interface RunTally {
  readonly runs: number;
  /** Runs whose turn is stored, so that it is answered whatever happens. */
  readonly begun: number;
  readonly completed: number;
  readonly open: number;
  readonly lastEndedAt: number;
}

/** What the agents are asked for, which costs the model next to nothing. */
export const ANSWER = '[[say done]]';

const END_LIMIT_MS = 900_000;
const NOTIFY_LIMIT_MS = 30 * 60_000;

/** Registers so many users, each in an organization of their own. */
export async function openOrgs({ apiUrl, model }: Instance, count: number): Promise<Owner[]> {
  const owners: Owner[] = [];
  for (let at = 0; at < count; at += 1) {
    const user = await registerUser(apiUrl);
    await createProvider(user.client, model.url);
    owners.push({ user, agentId: await createAgent(user.client) });
  }
  return owners;
}

/** Adds a record by the api and returns its id. */
export async function add({ client }: TestUser, path: string, record: object): Promise<string> {
  const { status, json } = await client.post<{ id: string }>(path, record);
  if (status !== 201) throw new Error(`POST ${path} answered ${status}`);
  return json.id;
}

/** Counts the runs of owners. */
export async function tallyRuns(instance: Instance, owners: readonly Owner[]): Promise<RunTally> {
  return inDatabase(instance, async (client) => {
    const { rows } = await client.query<RunTally>(
      `select count(*)::int as runs, count(started_at)::int as begun,
        count(*) filter (where status = 'completed')::int as completed,
        count(*) filter (where completed_at is null)::int as open,
        extract(epoch from max(completed_at))::float8 * 1000 as "lastEndedAt"
      from workflow_runs where org_id = any($1)`,
      [orgIdsOf(owners)],
    );
    const [tally] = rows;
    if (tally === undefined) throw new Error('the runs were not counted');
    return tally;
  });
}

/** Waits until all runs of owners have ended; throws when one has not completed, or there are more or fewer. */
export async function waitForRuns(instance: Instance, owners: readonly Owner[], runs: number): Promise<RunTally> {
  const ended = await waitUntil(
    `${runs} runs to end`,
    async () => {
      const tally = await tallyRuns(instance, owners);
      return tally.open === 0 && tally.runs >= runs ? tally : undefined;
    },
    END_LIMIT_MS,
  );
  if (ended.completed !== runs) throw new Error(`of ${runs} runs ${ended.completed} of ${ended.runs} have completed`);
  return ended;
}

/** Waits until Temporal has been told of all schedules of owners. */
export async function waitForSchedules(instance: Instance, owners: readonly Owner[]): Promise<void> {
  const text = 'select from schedules where org_id = any($1) and version <> applied_version limit 1';
  await waitUntil(
    'Temporal to be told of all schedules',
    async () =>
      inDatabase(instance, async (client) =>
        (await client.query(text, [orgIdsOf(owners)])).rowCount === 0 ? true : undefined,
      ),
    NOTIFY_LIMIT_MS,
  );
}

/** Returns the organizations of owners. */
export function orgIdsOf(owners: readonly Owner[]): string[] {
  return owners.map(({ user }) => user.orgId);
}
