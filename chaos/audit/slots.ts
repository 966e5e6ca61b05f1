import type { AutomationWork } from '../automation/automation-worker.ts';
import type { SchedulePlan } from '../automation/plan-automation.ts';
import type { AutomationFacts, RunFact } from './automation.ts';
import type { Verdict } from './facts.ts';

const MINUTE_MS = 60_000;
/**
 * How late a slot may be stored after a worker died, and after Temporal lost its store: one that is younger when its
 * schedule is stopped may be lost.
 */
const LATEST_MS = { worker: 30_000, store: 120_000 };

interface ScheduleCase {
  readonly plan: SchedulePlan;
  readonly runs: readonly RunFact[];
  readonly first: number;
  /** The times that were due for certain: all before the schedules were stopped, but for the last seconds. */
  readonly due: readonly number[];
}

/**
 * Checks P6: each due slot of a schedule yields one run. A slot without one is a breach, unless the rule for what meets
 * an open run says that it starts none, and a run of before was open at that time.
 */
export function slotsFired({ runs }: AutomationFacts, work: AutomationWork, hasLostStore: boolean): Verdict {
  const latestMs = hasLostStore ? LATEST_MS.store : LATEST_MS.worker;
  const cases = work.plan.schedules.map((plan): ScheduleCase => {
    const id = work.automation.scheduleIds.get(plan.name) ?? '';
    const first = work.automation.firstSlot + plan.second * 1_000;
    const due = slotsBetween(first, work.stoppedAt.from - latestMs);
    return { plan, first, due, runs: runs.filter(({ scheduleId, slot }) => scheduleId === id && slot !== null) };
  });
  const breaches = cases.flatMap((each) => [
    ...doubles(each),
    ...gaps(each).map((slot) => `${each.plan.name} (${each.plan.overlap}) has no run for ${timeOf(slot)}`),
    ...strangers(each, work.stoppedAt.to),
    ...overlaps(each),
  ]);
  const due = cases.reduce((sum, each) => sum + each.due.length, 0);
  const fired = cases.reduce((sum, each) => sum + each.runs.length, 0);
  const late = cases.flatMap((each) => each.runs.map(({ slot, createdAt }) => createdAt - (slot ?? 0)));
  return {
    promise: 'P6',
    claim: 'each due slot of a schedule yields one run',
    figure:
      `${due} slots of ${cases.length} schedules were due, ${fired} have a run, ${due - fired < 0 ? 0 : due - fired} met an open one; ` +
      `the latest was stored ${(Math.max(0, ...late) / 1_000).toFixed(1)} s after its time`,
    breaches,
  };
}

function slotsBetween(start: number, end: number): number[] {
  const slots: number[] = [];
  for (let slot = start; slot < end; slot += MINUTE_MS) slots.push(slot);
  return slots;
}

function doubles({ plan, runs }: ScheduleCase): string[] {
  const bySlot = Map.groupBy(runs, ({ slot }) => slot ?? 0);
  return [...bySlot]
    .filter(([, ofSlot]) => ofSlot.length > 1)
    .map(([slot, ofSlot]) => `${plan.name} has ${ofSlot.length} runs for ${timeOf(slot)}`);
}

function gaps({ plan, runs, due }: ScheduleCase): number[] {
  const fired = new Set(runs.map(({ slot }) => slot));
  const missing = due.filter((slot) => !fired.has(slot));
  if (plan.overlap === 'allow_all' || plan.overlap === 'cancel_other') return missing;
  const isMet = (slot: number) =>
    runs.some((run) => (run.slot ?? slot) < slot && (run.completedAt ?? Number.POSITIVE_INFINITY) >= slot);
  return missing.filter((slot) => !isMet(slot));
}

// Beside an open run, `skip` starts none.
function overlaps({ plan, runs }: ScheduleCase): string[] {
  if (plan.overlap !== 'skip') return [];
  const inOrder = runs.toSorted((one, other) => one.createdAt - other.createdAt);
  return inOrder
    .filter(({ createdAt }, at) => createdAt < (inOrder[at - 1]?.completedAt ?? Number.NEGATIVE_INFINITY))
    .map(({ id }) => `${plan.name} (skip) has a run ${id} that was started beside the one before it`);
}

// A run at a time that is no slot, or after the schedule was stopped.
function strangers({ plan, runs, first }: ScheduleCase, stoppedAt: number): string[] {
  return runs
    .filter(({ slot }) => slot !== null && (slot > stoppedAt || (slot - first) % MINUTE_MS !== 0))
    .map(({ id, slot }) => `${plan.name} has a run ${id} for ${timeOf(slot ?? 0)}, which is no slot of it`);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
