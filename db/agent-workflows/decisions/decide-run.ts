import { readRunState, type RunRef, type RunState } from '../runs/run-state.ts';
import { startQueuedRuns } from '../runs/end-run.ts';
import { stopTurnOfRun } from '../../turns/index.ts';
import { nextTransition, type RunTransition } from '../../../domain/agent-workflows.ts';
import { beginStep, finishRun } from './begin-step.ts';
import type { RunDeps } from './run-deps.ts';

/** How a run stands once everything is done for it that can be done now. */
export type RunOutlook =
  | { readonly kind: 'ended' }
  /** It waits in the queue of its workflow or schedule. */
  | { readonly kind: 'queued' }
  | {
      readonly kind: 'waiting';
      readonly run: RunState;
      /** When it is decided about again if its row has not changed before; null for not until then. */
      readonly until: Date | null;
      /** The position of the step that it has come to, from 0. */
      readonly step: number;
      /** What it waits for, in words. */
      readonly waitsFor: string;
      readonly waitsForRoom: boolean;
    };

/** Transitions that one call makes at most: more of them mean that the rows do not change. */
const MAX_TRANSITIONS = 20;

const ITS_TURN = 'the end of its turn';

/** When a run whose turn was asked to stop is decided about again, in case that the request was lost. */
const STOP_MS = 30_000;

/**
 * The shortest and the longest time after which a run tries again for which there was no room among the open turns of
 * its user and organization. The end of a turn has it try before.
 */
const ROOM_MS = { least: 30_000, most: 300_000 };

/**
 * Does what is to be done for a run now: begins its first or next step, asks whether it may, tries a step again, stops
 * its turn, or ends it. The rows decide, so it is harmless to call it at any time, in several processes at once, and
 * for a run that has ended.
 */
export async function decideRun(deps: RunDeps, { orgId, runId }: RunRef): Promise<RunOutlook> {
  for (let made = 0; made < MAX_TRANSITIONS; made += 1) {
    const run = await readRunState(deps.database, { orgId, runId });
    if (run === undefined) return { kind: 'ended' };
    const outlook = run.isQueued && !run.isInterrupted ? await leaveQueue(deps, run) : await makeTransition(deps, run);
    if (outlook !== undefined) return outlook;
  }
  throw new Error(`the run ${runId} was decided about again and again, and does not change`);
}

// Each of these returns undefined when the row may have changed: it then decides anew.

async function leaveQueue({ database }: RunDeps, run: RunState): Promise<RunOutlook | undefined> {
  const begun = await startQueuedRuns(database, run.orgId, run);
  return begun.includes(run.id) ? undefined : { kind: 'queued' };
}

async function makeTransition(deps: RunDeps, run: RunState): Promise<RunOutlook | undefined> {
  const transition = nextTransition(run, new Date());
  switch (transition.kind) {
    case 'ask':
    case 'begin':
      return beginOrWait(deps, run, transition);
    case 'stop':
      await stopTurnOfRun(deps.database, run.orgId, run.id);
      return waiting(run, 'the end of its turn, which is to stop', inMs(STOP_MS));
    case 'wait':
      return waiting(run, run.turns.at(-1)?.endedAt === null ? ITS_TURN : 'another attempt', transition.until);
    case 'end':
      await finishRun(deps, run, transition);
      return undefined;
    default:
      throw new Error(`a run has no such transition: ${JSON.stringify(transition satisfies never)}`);
  }
}

async function beginOrWait(deps: RunDeps, run: RunState, transition: RunTransition & { kind: 'ask' | 'begin' }) {
  const result = await beginStep(deps, run, transition);
  if (result === 'changed') return undefined;
  const { step } = transition;
  if (result === 'begun') return { ...waiting(withTurn(run), ITS_TURN, deadlineOf(run)), step };
  if (result !== 'no room') return { ...waiting(run, 'the approval of its step', result.askedUntil), step };
  // Twice as long each time: the more runs wait, the less each of them asks.
  const waited = Date.now() - run.updatedAt.getTime();
  const until = inMs(Math.min(Math.max(waited, ROOM_MS.least), ROOM_MS.most));
  return { ...waiting(run, 'room for another turn', until), step, waitsForRoom: true };
}

function waiting(run: RunState, waitsFor: string, until: Date | null) {
  const step = run.turns.at(-1)?.step ?? 0;
  return { kind: 'waiting', run, step, waitsFor, waitsForRoom: false, until } as const;
}

// As the statement that stores its turn leaves it.
const withTurn = (run: RunState): RunState => ({ ...run, version: run.version + 1 });

// It runs from the first turn on.
function deadlineOf({ deadlineAt, timeLimitMinutes }: RunState): Date | null {
  return deadlineAt ?? (timeLimitMinutes === null ? null : inMs(timeLimitMinutes * 60_000));
}

function inMs(milliseconds: number): Date {
  return new Date(Date.now() + milliseconds);
}
