import { endRun, type RunState, setDue } from '../db/agent-workflows/index.ts';
import type { RunMove } from '../domain/agent-workflows/index.ts';
import { AppError } from '../domain/core/app-error.ts';
import { policyAllows } from '../domain/permissions/index.ts';
import { announceWait, askBeforeStep } from './ask-for-step.ts';
import { agentOf, promptOf } from './prompt-of-step.ts';
import { type RunDeps, startTurn } from './start-turn.ts';
import { Unrunnable } from './unrunnable.ts';

/** When a run whose turn was asked to stop, or for which there was no room, is looked at again, in milliseconds. */
export const LOOK_AGAIN_MS = 30_000;

/**
 * Begins an attempt at a step of a run, or asks a person whether it may, or ends the run when that cannot be; without
 * room for another turn the run waits. Returns the runs that may begin when this one has ended.
 */
export async function beginStep(
  deps: RunDeps,
  orgId: string,
  run: RunState,
  move: RunMove & { kind: 'begin' | 'ask' },
): Promise<readonly string[]> {
  try {
    const { chatId, policy } = mayGoOn(run);
    if (move.kind === 'ask') await askBeforeStep(deps, orgId, run, move.step);
    else await sendPrompt(deps, { orgId, chatId, policy }, run, move);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason !== undefined) return finishRun(deps, orgId, run, reason);
    await setDue(deps.database, orgId, run, new Date(Date.now() + LOOK_AGAIN_MS));
  }
  return [];
}

/** Ends a run, and tells viewers that nobody has to decide about it any more. Returns the runs that may begin. */
export async function finishRun(
  deps: RunDeps,
  orgId: string,
  run: RunState,
  ending: Parameters<typeof endRun>[3],
): Promise<readonly string[]> {
  const begun = await endRun(deps.database, orgId, run, ending);
  if (run.approvals.some(({ status }) => status === 'pending')) await announceWait(deps, orgId, run.id);
  return begun;
}

async function sendPrompt(
  deps: RunDeps,
  { orgId, chatId, policy }: { readonly orgId: string } & ReturnType<typeof mayGoOn>,
  run: RunState,
  { step, attempt }: RunMove & { kind: 'begin' },
): Promise<void> {
  const { id: runId, userId, version } = run;
  const content = await promptOf(deps, orgId, run, step);
  const clientMessageId = `run ${runId} step ${step} attempt ${attempt}`;
  const ofRun = { runId, version, step, attempt, agentId: agentOf(run, step) };
  await startTurn(deps, { orgId, userId, policy }, { chatId, content, clientMessageId, ofRun });
}

// Undefined when there was no room, which passes.
function reasonOf(error: unknown): { readonly status: Unrunnable['status']; readonly error: string } | undefined {
  if (error instanceof Unrunnable) return { status: error.status, error: error.message };
  if (!(error instanceof AppError)) throw error;
  if (error.code === 'not_found') return reasonOf(deleted());
  return error.code === 'limit_reached' ? undefined : { status: 'failed', error: `${error.message}.` };
}

const deleted = () => new Unrunnable('interrupted', 'The conversation of the run was deleted.');

// The agent, and what it may use, are checked where its turn begins and at each of its steps.
function mayGoOn({ chatId, policy }: RunState) {
  if (chatId === null) throw deleted();
  if (policy === null)
    throw new Unrunnable('failed', 'The user in whose name it runs is no longer a member of the organization.');
  if (policyAllows(policy, 'schedules.manage')) return { chatId, policy };
  throw new Unrunnable(
    'failed',
    'The user in whose name it runs may not run workflows any more: the permission schedules.manage is missing.',
  );
}
