import { readRunState, type RunRef, type RunState, setDue, startQueuedRuns } from '../db/agent-workflows/index.ts';
import { stopTurnOfRun } from '../db/turns/index.ts';
import { nextMove } from '../domain/agent-workflows/index.ts';
import { beginStep, finishRun, LOOK_AGAIN_MS } from './begin-step.ts';
import type { RunDeps } from './start-turn.ts';

/**
 * Runs that one call moves at most: when a run ends, those that waited for its place may begin. The sweeper does the
 * rest.
 */
const MAX_MOVES = 20;

/**
 * Makes the next move of a run: begins its first or next step, asks whether it may, tries a step again, stops its turn,
 * or ends it. The rows decide, so it is harmless to call it at any time, in several processes at once, and for a run
 * that has ended.
 */
export async function advanceRun(deps: RunDeps, { orgId, runId }: RunRef): Promise<void> {
  const waiting: string[] = [runId];
  for (let moves = 0; moves < MAX_MOVES; moves += 1) {
    const id = waiting.shift();
    if (id === undefined) return;
    const run = await readRunState(deps.database, { orgId, runId: id });
    if (run !== undefined) waiting.push(...(await moveOn(deps, orgId, run)));
  }
}

// Returns further runs that may be moved now.
async function moveOn(deps: RunDeps, orgId: string, run: RunState): Promise<readonly string[]> {
  const { database } = deps;
  if (run.isQueued && !run.isInterrupted) return startQueuedRuns(database, orgId, run);
  const move = nextMove(run, new Date());
  switch (move.kind) {
    case 'ask':
    case 'begin':
      return beginStep(deps, orgId, run, move);
    case 'stop':
      await stopTurnOfRun(database, orgId, run.id);
      await setDue(database, orgId, run, new Date(Date.now() + LOOK_AGAIN_MS));
      return [];
    case 'wait':
      await setDue(database, orgId, run, move.until);
      return [];
    case 'end':
      return finishRun(deps, orgId, run, move);
    default:
      throw new Error(`a run has no such move: ${JSON.stringify(move satisfies never)}`);
  }
}
