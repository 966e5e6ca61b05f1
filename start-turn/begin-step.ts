import { endRun, readOutputs, type RunState, setDue } from '../db/agent-workflows/index.ts';
import { namesIn, renderTemplate, type RunMove, stepOfName } from '../domain/agent-workflows/index.ts';
import { AppError } from '../domain/core/app-error.ts';
import { type Policy, policyAllows } from '../domain/permissions/index.ts';
import { MAX_CONTENT_CHARACTERS } from '../domain/turns/index.ts';
import { startTurn, type StartTurnDeps } from './start-turn.ts';

/** When a run whose turn was asked to stop, or for which there was no room, is looked at again, in milliseconds. */
export const LOOK_AGAIN_MS = 30_000;

/** Says why a step cannot be begun; the run ends with it. */
class Unrunnable extends Error {
  readonly status: 'failed' | 'interrupted';

  constructor(status: Unrunnable['status'], reason: string) {
    super(reason);
    this.status = status;
  }
}

/**
 * Begins an attempt at a step of a run, or ends the run when that cannot be; without room for another turn the run
 * waits. Returns the runs that may begin when this one has ended.
 */
export async function beginStep(
  deps: StartTurnDeps,
  orgId: string,
  run: RunState,
  move: RunMove & { kind: 'begin' },
): Promise<readonly string[]> {
  try {
    await sendPrompt(deps, orgId, run, move);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason !== undefined) return endRun(deps.database, orgId, run, reason);
    await setDue(deps.database, orgId, run, new Date(Date.now() + LOOK_AGAIN_MS));
  }
  return [];
}

async function sendPrompt(
  deps: StartTurnDeps,
  orgId: string,
  run: RunState,
  { step, attempt }: RunMove & { kind: 'begin' },
): Promise<void> {
  const { id: runId, userId, chatId, version } = run;
  const policy = policyFor(run.policy);
  const content = await promptOf(deps, orgId, run, step);
  const agentId = run.steps[step]?.agentId ?? null;
  if (chatId === null || agentId === null) throw new Unrunnable('interrupted', CONVERSATION_DELETED);
  const clientMessageId = `run ${runId} step ${step} attempt ${attempt}`;
  const message = { chatId, content, clientMessageId, ofRun: { runId, version, step, attempt, agentId } };
  await startTurn(deps, { orgId, userId, policy }, message);
}

// Undefined when there was no room, which passes.
function reasonOf(error: unknown): { readonly status: Unrunnable['status']; readonly error: string } | undefined {
  if (error instanceof Unrunnable) return { status: error.status, error: error.message };
  if (!(error instanceof AppError)) throw error;
  if (error.code === 'not_found') return { status: 'interrupted', error: CONVERSATION_DELETED };
  return error.code === 'limit_reached' ? undefined : { status: 'failed', error: `${error.message}.` };
}

const CONVERSATION_DELETED = 'The conversation of the run was deleted.';

// The agent, and what it may use, are checked where its turn begins and at each of its steps.
function policyFor(policy: Policy | null): Policy {
  if (policy === null)
    throw new Unrunnable('failed', 'The user in whose name it runs is no longer a member of the organization.');
  if (policyAllows(policy, 'schedules.manage')) return policy;
  throw new Unrunnable(
    'failed',
    'The user in whose name it runs may not run workflows any more: the permission schedules.manage is missing.',
  );
}

async function promptOf({ database }: StartTurnDeps, orgId: string, run: RunState, step: number): Promise<string> {
  if (step === 0) return run.prompt;
  const template = run.steps[step]?.promptTemplate ?? '';
  const values = { ...run.variables, ...(await outputsFor(template, database, orgId, run)) };
  const text = renderTemplate(template, values, MAX_CONTENT_CHARACTERS)?.text;
  if (text !== undefined && text.trim() !== '') return text;
  throw new Unrunnable('failed', `The prompt of a step is empty, or longer than ${MAX_CONTENT_CHARACTERS} characters.`);
}

async function outputsFor(
  template: string,
  database: StartTurnDeps['database'],
  orgId: string,
  run: RunState,
): Promise<Readonly<Record<string, string>>> {
  if (!namesIn(template).some((name) => stepOfName(name) !== undefined)) return {};
  const outputs = await readOutputs(database, { orgId, runId: run.id }, MAX_CONTENT_CHARACTERS);
  return Object.fromEntries(run.steps.map(({ name }, place) => [`steps.${name}.output`, outputs.get(place) ?? '']));
}
