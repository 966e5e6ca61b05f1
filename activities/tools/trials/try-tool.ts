import { cancellationSignal } from '@temporalio/activity';
import type { Logger } from 'pino';
import { beginTrial, finishTrial, type TrialOutcome } from '../../../db/tool-trials.ts';
import { needsApproval } from '../../../domain/approvals.ts';
import { cut, toStorableText } from '../../../domain/core/text.ts';
import { permits, type Policy, policyAllows } from '../../../domain/permissions/policy.ts';
import type { Effect } from '../../../domain/tool-calls/tool-call.ts';
import { MAX_TRIAL_MS, type TryToolInput } from '../../../workflows/short/contract.ts';
import { BUILTIN_TOOLS } from '../builtin/index.ts';
import { toolError } from '../call/execute-call.ts';
import type { ToolContext } from '../context.ts';
import { type ContextDeps, runtimeContext, toolContext } from '../operations/tool-context.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { Tool, ToolArguments } from '../tool.ts';
import { holdsKeyFor, keyFor, type ToolsetFor } from '../toolset.ts';
import { openScratch } from '../workspace/with-uploads.ts';
import { withOrgTransaction } from '../../../db/core/transactions.ts';
import { findPolicy } from '../../../db/permissions/for-turn.ts';
import { type CustomTool, inspectDefinition } from '../../../domain/tools/inspect-tool.ts';
import { withHeartbeat } from '../../core/cancellation.ts';
import { checkQuickly, runCustomCall } from '../custom/custom-tool.ts';
import type { RuntimeContext } from '../custom/runtimes.ts';

type StoredTrial = NonNullable<Awaited<ReturnType<typeof beginTrial>>>;

/** Makes one stored call of a tool, on behalf of a member, and stores what it came to. */
export function createTryTool(deps: BuiltinTrialDeps) {
  const { database } = deps;
  return async function tryTool({ orgId, trialId }: TryToolInput): Promise<void> {
    const stop = cancellationSignal();
    const trial = await beginTrial(database, orgId, trialId);
    if (trial === undefined) return;
    const outcome = await withHeartbeat(() => outcomeOf(deps, { ...trial, orgId, trialId }, stop));
    await finishTrial(database, orgId, trialId, outcome);
  };
}

// Rights and tool are checked again: both may have changed since the request.
async function outcomeOf(
  deps: BuiltinTrialDeps,
  trial: StoredTrial & TryToolInput,
  stop: AbortSignal,
): Promise<TrialOutcome> {
  const { orgId, trialId, userId, toolKey, arguments: args } = trial;
  const policy = await withOrgTransaction(deps.database, orgId, async (em) => findPolicy(em, { orgId, userId }));
  if (policy === null || !policyAllows(policy, 'tools.manage') || !permits(policy, 'toolKeys', toolKey))
    return refused('you may not try it any more');
  const [definition] = await deps.definitions.read(orgId, 'tool', [toolKey]);
  if (definition === undefined) return refused('it was deleted');
  const inspection = inspectDefinition(definition);
  if ('tool' in inspection) {
    const contextFor = (signal: AbortSignal) => runtimeContext(deps, { orgId, idempotencyKey: trialId }, signal);
    return callOnce(inspection.tool, args, { contextFor, stop });
  }
  // A builtin one without a runtime is part of the worker.
  return definition.origin === 'builtin' ? callBuiltin(deps, { ...trial, policy }, stop) : refused(inspection.problem);
}

function refused(problem: string): TrialOutcome {
  const result = toolError('denied', `The tool cannot be used: ${problem}`);
  return { status: 'error', result, isJson: true, logs: [], durationMs: 0 };
}

interface TrialRun {
  readonly contextFor: (signal: AbortSignal) => RuntimeContext;
  /** Aborts when nobody waits any more. */
  readonly stop: AbortSignal;
}

/** Makes one call of a custom tool for a person to see: its result or its failure, its log, and how long it took. */
export async function callOnce(tool: CustomTool, args: ToolArguments, run: TrialRun): Promise<TrialOutcome> {
  const logs: string[] = [];
  const begin = performance.now();
  const ending = await endingOf(tool, args, { ...run, log: (text) => logs.push(toStorableText(text)) });
  return { ...ending, logs, durationMs: Math.round(performance.now() - begin) };
}

async function endingOf(
  tool: CustomTool,
  given: ToolArguments,
  { contextFor, stop, log }: TrialRun & { readonly log: (text: string) => void },
): Promise<TrialEnding> {
  const checked = checkQuickly(tool, given);
  if ('error' in checked) return failed('error', checked.error);
  const limitMs = Math.min(tool.timeoutSeconds * 1000, MAX_TRIAL_MS);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(timedOut(tool.effect, limitMs)), limitMs);
  const signal = AbortSignal.any([stop, limit.signal]);
  try {
    const { value, isJson = false } = await runCustomCall({ tool, args: checked.value, log }, contextFor(signal));
    return { status: 'success', ...shownResult(typeof value === 'string' ? value : JSON.stringify(value), isJson) };
  } catch (error) {
    const failure: unknown = limit.signal.aborted ? limit.signal.reason : error;
    if (!(failure instanceof ToolFailure)) throw error;
    return failed(failure.isUncertain ? 'unknown' : 'error', failure);
  } finally {
    clearTimeout(timer);
  }
}

function failed(status: 'error' | 'unknown', { kind, message }: Pick<ToolFailure, 'kind' | 'message'>) {
  return { status, ...shownResult(toolError(kind, message), true) };
}

/** The dependencies of calls of builtin tools outside of chats. */
interface BuiltinTrialDeps extends ContextDeps {
  readonly toolsetFor: ToolsetFor;
  readonly log: Logger;
}

/** A call of a builtin tool that a person tries. */
interface BuiltinTrial {
  readonly orgId: string;
  readonly userId: string;
  readonly policy: Policy;
  readonly trialId: string;
  readonly toolKey: string;
  readonly arguments: ToolArguments;
}

const ONLY_IN_CHATS = new Set(BUILTIN_TOOLS.filter(({ definition }) => definition.onlyInChats).map(({ key }) => key));

/**
 * Makes one call of a builtin tool for a person to see, as a turn makes it: planned and checked by the tool, with the
 * rights of the person, in a scratch workspace that is removed afterwards. Calls that would wait for a decision are not
 * made, since nobody makes one here.
 */
async function callBuiltin(deps: BuiltinTrialDeps, trial: BuiltinTrial, stop: AbortSignal): Promise<TrialOutcome> {
  const begin = performance.now();
  const ending = await endingOfCall(deps, trial, stop);
  return { ...ending, logs: [], durationMs: Math.round(performance.now() - begin) };
}

async function endingOfCall(deps: BuiltinTrialDeps, trial: BuiltinTrial, stop: AbortSignal): Promise<TrialEnding> {
  const { orgId, policy, trialId, toolKey, arguments: args } = trial;
  // It works for no agent: there is none with this id.
  const toolset = await deps.toolsetFor({ orgId, policy, agent: { id: trialId, tools: [toolKey], skills: [] } });
  const tool = toolset.find(toolKey);
  if (tool === undefined || ONLY_IN_CHATS.has(toolKey)) return refusedCall('The tool works in chats only');
  const [plan] = await tool.plan([args]);
  if (plan === undefined || 'error' in plan) {
    const { kind, message } = plan?.error ?? { kind: 'upstream', message: 'The tool has planned nothing' };
    return { status: 'error', ...shownResult(toolError(kind, message), true) };
  }
  const refusal = refusalOf(tool, plan.effect, { policy, approval: plan.approval });
  return refusal === undefined ? run(deps, { ...trial, tool, effect: plan.effect }, stop) : refusedCall(refusal);
}

type Asked = Pick<BuiltinTrial, 'policy'> & Pick<Parameters<typeof needsApproval>[1], 'approval'>;

function refusalOf(tool: Tool, effect: Effect, { policy, approval }: Asked): string | undefined {
  if (!holdsKeyFor(policy, tool, effect)) return `You lack the permission ${keyFor(tool, effect)} that this needs`;
  if (tool.run === undefined) return 'The tool works in chats only';
  return needsApproval({}, { ...tool, approval }, effect)
    ? 'This call waits for the decision of a person: make it in a chat, where it can be approved'
    : undefined;
}

async function run(
  deps: BuiltinTrialDeps,
  { tool, effect, ...trial }: BuiltinTrial & { readonly tool: Tool; readonly effect: Effect },
  stop: AbortSignal,
): Promise<TrialEnding> {
  const { orgId, trialId } = trial;
  const scratch = openScratch(deps.workspaceRoot, { orgId, id: trialId });
  const limit = AbortSignal.timeout(MAX_TRIAL_MS);
  try {
    const contextFor = (signal: AbortSignal) => contextOf(deps, trial, { signal, workspace: scratch.workspace });
    const outcome = await tool.run?.(trial.arguments, { signal: AbortSignal.any([stop, limit]), contextFor });
    if (outcome === undefined) return refusedCall('The tool works in chats only');
    if (outcome.error !== undefined)
      deps.log.warn({ err: outcome.error, tool: tool.key, callId: trialId }, 'a tool failed');
    return { status: outcome.status, ...shownResult(outcome.result, isJson(outcome.result)) };
  } catch (error) {
    if (!limit.aborted || stop.aborted) throw error;
    const { kind, message, isUncertain } = timedOut(effect, MAX_TRIAL_MS);
    return { status: isUncertain ? 'unknown' : 'error', ...shownResult(toolError(kind, message), true) };
  } finally {
    await scratch.remove();
  }
}

function contextOf(
  deps: ContextDeps,
  { orgId, userId, policy, trialId }: BuiltinTrial,
  {
    signal,
    workspace,
  }: { readonly signal: AbortSignal; readonly workspace: ReturnType<typeof openScratch>['workspace'] },
) {
  const scope = {
    orgId,
    userId,
    policy,
    agentId: trialId,
    skillKeys: [],
    workspaceChatId: trialId,
    chatId: trialId,
    workspace,
    idempotencyKey: trialId,
    isRepeated: false,
    hasForeignText: false,
    isApproved: false,
    // What is billed to a turn is refused.
    noteUsage: () => undefined,
  };
  return outsideChat(toolContext(deps, scope, signal));
}

function refusedCall(message: string): TrialEnding {
  return { status: 'error', ...shownResult(toolError('denied', message), true) };
}

// Tools return texts and values; a model is given both as texts.
function isJson(result: string): boolean {
  if (!/^[[{]/.test(result)) return false;
  try {
    JSON.parse(result);
    return true;
  } catch {
    return false;
  }
}

const PARTS = [
  'memories',
  'knowledge',
  'issues',
  'tasks',
  'schedules',
  'workflows',
  'broadcasts',
  'agents',
  'tools',
  'skills',
  'media',
] as const satisfies readonly (keyof ToolContext)[];

/**
 * Replaces the parts of a context that belong to a chat, or act in the name of its agent: a call outside of chats that
 * asks for one of them fails. Tools say so themselves (`onlyInChats`); this holds for one that forgets it.
 */
function outsideChat(context: ToolContext): ToolContext {
  return { ...context, ...Object.fromEntries(PARTS.map((part) => [part, REFUSING])) };
}

const REFUSING: unknown = new Proxy(
  {},
  {
    get: () => {
      throw new ToolFailure('denied', 'This can be done in a chat only');
    },
  },
);

/** What a tried call has come to. */
type TrialEnding = Pick<TrialOutcome, 'status' | 'result' | 'isJson'>;

/** The longest result that is shown, in characters. */
const MAX_RESULT = 100_000;

/** Returns a result as it is shown. What is cut is no JSON any more. */
function shownResult(text: string, isJson: boolean): Pick<TrialOutcome, 'result' | 'isJson'> {
  return { result: cut(toStorableText(text), MAX_RESULT), isJson: isJson && text.length <= MAX_RESULT };
}

/** Makes the failure of a call that was stopped, because it took longer than anybody waits for it. */
function timedOut(effect: Effect, limitMs: number): ToolFailure {
  const message = `The call took longer than ${limitMs / 1000} seconds and was stopped`;
  return new ToolFailure('timeout', message, { isUncertain: effect !== 'read' });
}
