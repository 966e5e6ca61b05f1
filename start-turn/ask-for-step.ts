import { askForStep, type RunState, setDue, stepNewsOf } from '../db/agent-workflows/index.ts';
import { announceSteps } from '../db/stream/index.ts';
import { agentOf, promptOf } from './prompt-of-step.ts';
import type { RunDeps } from './start-turn.ts';

/**
 * Asks whether a step of a run may begin, and tells the viewers of its conversation. It is harmless to do it again. The
 * run is looked at again when nobody has decided in time.
 */
export async function askBeforeStep(deps: RunDeps, orgId: string, run: RunState, step: number): Promise<void> {
  const { database, approvalWaitMs } = deps;
  const asked = run.approvals.find((each) => each.step === step);
  if (asked === undefined) {
    const expiresAt = new Date(Date.now() + approvalWaitMs);
    const prompt = await promptOf(deps, orgId, run, step);
    await askForStep(database, orgId, run, { step, agentId: agentOf(run, step), prompt, expiresAt });
  }
  await announceWait(deps, orgId, run.id);
  // By the version that was read: one that has moved, as by the question itself, is looked at again soon.
  if (asked !== undefined) await setDue(database, orgId, run, asked.expiresAt);
}

/** Tells the viewers of a run's conversation how its last wait for a decision stands. Who misses it finds the rows. */
export async function announceWait(
  { database, log }: Pick<RunDeps, 'database' | 'log'>,
  orgId: string,
  runId: string,
): Promise<void> {
  try {
    await announceSteps(database, await stepNewsOf(database, { orgId, runId }));
  } catch (error) {
    log.warn({ err: error, runId }, 'the wait for a decision before a step was not announced');
  }
}
