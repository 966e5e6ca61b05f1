import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { startDetached, withinDeadline } from '../core/client.ts';
import { TASK_QUEUE } from '../core/contract.ts';
import { HOUSEKEEPING, housekeepingId, type HousekeepingInput, INTERVALS, PURGE_ORG, purgeOrgId } from './contract.ts';

type Interval = HousekeepingInput['interval'];

/** The claimant of a namespace, as the memo of its Schedules names it. */
interface Claimant {
  readonly installationId: string;
  /** Distinguishes the database of the installation from a copy of it. */
  readonly databaseId: string;
}

const INTERVAL_MS = { minute: 60_000, hour: 3_600_000, night: 24 * 3_600_000 } as const;
/** The time of the night, in UTC: not on the hour, when most schedules fire. */
const NIGHT_MS = 2.3 * 3_600_000;
/** The intervals after which a run that hangs is ended, since it keeps later ones from starting. */
const MAX_INTERVALS = 10;

/** The Schedule whose memo says whose the namespace is. */
const CLAIM: Interval = 'minute';

/** Says in a sentence for operators that a namespace has been claimed before. */
export class NamespaceTaken extends Error {
  override readonly name = 'NamespaceTaken';

  constructor(namespace: string, holder: string) {
    super(
      `TEMPORAL_NAMESPACE: the Temporal namespace ${namespace} belongs to another ${holder}. Name a namespace that no other uses; if this database has taken the place of the other, delete the Schedule ${housekeepingId({ interval: CLAIM })} there.`,
    );
  }
}

/**
 * Claims the namespace by the Schedules of the housekeeping, whose memo names the claimant, and creates those that do
 * not exist, each after `onMissing`. Throws `NamespaceTaken` when another claimant was first, and when the engine does
 * not respond within five seconds.
 */
export async function claimNamespace(
  client: Client,
  claimant: Claimant,
  onMissing: () => Promise<void>,
): Promise<void> {
  await withinDeadline(client, async () => {
    // The claim itself comes first.
    for (const interval of [CLAIM, ...INTERVALS.filter((each) => each !== CLAIM)])
      await claimSchedule(client, interval, claimant, onMissing);
  });
}

/**
 * Throws `NamespaceTaken` when another has claimed the namespace, and when the engine does not respond within five
 * seconds. Claims nothing: one that nobody has claimed is left to the first worker.
 */
export async function checkNamespace(client: Client, claimant: Claimant): Promise<void> {
  await withinDeadline(client, async () => {
    const holder = await readHolder(client, housekeepingId({ interval: CLAIM }));
    if (holder !== undefined) rejectOther(client, holder, claimant);
  });
}

/**
 * Gives the Schedules of the housekeeping the definition that this version has. One that is paused stays paused. Throws
 * when the engine does not respond within five seconds.
 */
export async function updateHousekeeping(client: Client): Promise<void> {
  await withinDeadline(client, async () => {
    for (const interval of INTERVALS) {
      const handle = client.schedule.getHandle(housekeepingId({ interval }));
      await handle.update(({ state }) => ({ ...definitionOf(interval), state }));
    }
  });
}

async function claimSchedule(
  client: Client,
  interval: Interval,
  claimant: Claimant,
  onMissing: () => Promise<void>,
): Promise<void> {
  const scheduleId = housekeepingId({ interval });
  for (;;) {
    const holder = await readHolder(client, scheduleId);
    if (holder === undefined) {
      await onMissing();
      // Several may create it at once: the first of them has it.
      await createSchedule(client, interval, claimant);
    } else if (isSame(holder, claimant)) return;
    else if (interval === CLAIM) rejectOther(client, holder, claimant);
    else await client.schedule.getHandle(scheduleId).delete();
  }
}

function rejectOther({ options }: Client, holder: Partial<Claimant>, claimant: Claimant): void {
  if (isSame(holder, claimant)) return;
  const isOwn = holder.installationId === claimant.installationId;
  throw new NamespaceTaken(options.namespace, isOwn ? 'database of this installation' : 'installation');
}

function isSame(holder: Partial<Claimant>, { installationId, databaseId }: Claimant): boolean {
  return holder.installationId === installationId && holder.databaseId === databaseId;
}

async function createSchedule({ schedule }: Client, interval: Interval, memo: Claimant): Promise<void> {
  const options = { scheduleId: housekeepingId({ interval }), memo: { ...memo }, ...definitionOf(interval) };
  await schedule.create(options).catch((error: unknown) => {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  });
}

async function readHolder({ schedule }: Client, scheduleId: string): Promise<Partial<Claimant> | undefined> {
  try {
    return (await schedule.getHandle(scheduleId).describe()).memo ?? {};
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

function definitionOf(interval: Interval): Omit<ScheduleOptions, 'scheduleId'> {
  return {
    spec: { intervals: [{ every: INTERVAL_MS[interval], offset: interval === 'night' ? NIGHT_MS : 0 }] },
    action: {
      type: 'startWorkflow',
      workflowType: HOUSEKEEPING,
      workflowId: housekeepingId({ interval }),
      args: [{ interval } satisfies HousekeepingInput],
      taskQueue: TASK_QUEUE,
      workflowRunTimeout: MAX_INTERVALS * INTERVAL_MS[interval],
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: INTERVAL_MS.minute },
  };
}

/** Makes sure that the remains of a deleted organization are removed. Harmless to repeat. */
export async function startOrgPurge(client: Client, orgId: string): Promise<void> {
  await startDetached(client, PURGE_ORG, { id: purgeOrgId({ orgId }), input: { orgId }, fairnessKey: orgId });
}
