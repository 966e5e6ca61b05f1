import { cancellationSignal } from '@temporalio/activity';
import type { Logger } from 'pino';
import { beginTestRun, finishTestRun, type TestRunOutcome } from '../../../db/tool-test-runs.ts';
import { needsApproval } from '../../../domain/approvals.ts';
import { cut, toStorableText } from '../../../domain/core/text.ts';
import { permits, type Policy, policyAllows } from '../../../domain/permissions/policy.ts';
import type { Effect } from '../../../domain/tool-calls/tool-call.ts';
import { MAX_TEST_RUN_MS, type TryToolInput } from '../../../workflows/short/contract.ts';
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
import { checkQuickly, runCustomCall } from '../custom/custom-tool.ts';
import type { RuntimeContext } from '../custom/runtimes.ts';

type StoredTestRun = NonNullable<Awaited<ReturnType<typeof beginTestRun>>>;

/** Makes one stored call of a tool, on behalf of a member, and stores what it came to. */
export function createTryTool(deps: TestRunDeps) {
  const { database } = deps;
  return async function tryTool({ orgId, trialId }: TryToolInput): Promise<void> {
    const stop = cancellationSignal();
    const testRun = await beginTestRun(database, orgId, trialId);
    if (testRun === undefined) return;
    const outcome = await outcomeOf(deps, { ...testRun, orgId, trialId }, stop);
    await finishTestRun(database, orgId, trialId, outcome);
  };
}

// Rights and tool are checked again: both may have changed since the request.
async function outcomeOf(
  deps: TestRunDeps,
  testRun: StoredTestRun & TryToolInput,
  stop: AbortSignal,
): Promise<TestRunOutcome> {
  const { orgId, trialId, userId, toolKey, arguments: args } = testRun;
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
  return definition.origin === 'builtin'
    ? callBuiltin(deps, { ...testRun, policy }, stop)
    : refused(inspection.problem);
}

function refused(problem: string): TestRunOutcome {
  const result = toolError('denied', `The tool cannot be used: ${problem}`);
  return { status: 'error', result, isJson: true, logs: [], durationMs: 0 };
}

interface RuntimeRun {
  readonly contextFor: (signal: AbortSignal) => RuntimeContext;
  /** Aborts when nobody waits any more. */
  readonly stop: AbortSignal;
}

/** Makes one call of a custom tool for a person to see: its result or its failure, its log, and how long it took. */
export async function callOnce(tool: CustomTool, args: ToolArguments, run: RuntimeRun): Promise<TestRunOutcome> {
  const logs: string[] = [];
  const begin = performance.now();
  const ending = await endingOf(tool, args, { ...run, log: (text) => logs.push(toStorableText(text)) });
  return { ...ending, logs, durationMs: Math.round(performance.now() - begin) };
}

async function endingOf(
  tool: CustomTool,
  given: ToolArguments,
  { contextFor, stop, log }: RuntimeRun & { readonly log: (text: string) => void },
): Promise<TestRunResult> {
  const checked = checkQuickly(tool, given);
  if ('error' in checked) return failed('error', checked.error);
  const limitMs = Math.min(tool.timeoutSeconds * 1000, MAX_TEST_RUN_MS);
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
interface TestRunDeps extends ContextDeps {
  readonly toolsetFor: ToolsetFor;
  readonly log: Logger;
}

/** A call of a builtin tool that a person tries. */
interface BuiltinTestRun {
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
async function callBuiltin(deps: TestRunDeps, testRun: BuiltinTestRun, stop: AbortSignal): Promise<TestRunOutcome> {
  const begin = performance.now();
  const ending = await endingOfCall(deps, testRun, stop);
  return { ...ending, logs: [], durationMs: Math.round(performance.now() - begin) };
}

async function endingOfCall(deps: TestRunDeps, testRun: BuiltinTestRun, stop: AbortSignal): Promise<TestRunResult> {
  const { orgId, policy, trialId, toolKey, arguments: args } = testRun;
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
  return refusal === undefined ? run(deps, { ...testRun, tool, effect: plan.effect }, stop) : refusedCall(refusal);
}

type Asked = Pick<BuiltinTestRun, 'policy'> & Pick<Parameters<typeof needsApproval>[1], 'approval'>;

function refusalOf(tool: Tool, effect: Effect, { policy, approval }: Asked): string | undefined {
  if (!holdsKeyFor(policy, tool, effect)) return `You lack the permission ${keyFor(tool, effect)} that this needs`;
  if (tool.run === undefined) return 'The tool works in chats only';
  return needsApproval({}, { ...tool, approval }, effect)
    ? 'This call waits for the decision of a person: make it in a chat, where it can be approved'
    : undefined;
}

async function run(
  deps: TestRunDeps,
  { tool, effect, ...testRun }: BuiltinTestRun & { readonly tool: Tool; readonly effect: Effect },
  stop: AbortSignal,
): Promise<TestRunResult> {
  const { orgId, trialId } = testRun;
  const scratch = openScratch(deps.workspaceRoot, { orgId, id: trialId });
  const limit = AbortSignal.timeout(MAX_TEST_RUN_MS);
  try {
    const contextFor = (signal: AbortSignal) => contextOf(deps, testRun, { signal, workspace: scratch.workspace });
    const outcome = await tool.run?.(testRun.arguments, { signal: AbortSignal.any([stop, limit]), contextFor });
    if (outcome === undefined) return refusedCall('The tool works in chats only');
    if (outcome.error !== undefined)
      deps.log.warn({ err: outcome.error, tool: tool.key, callId: trialId }, 'a tool failed');
    return { status: outcome.status, ...shownResult(outcome.result, isJson(outcome.result)) };
  } catch (error) {
    if (!limit.aborted || stop.aborted) throw error;
    const { kind, message, isUncertain } = timedOut(effect, MAX_TEST_RUN_MS);
    return { status: isUncertain ? 'unknown' : 'error', ...shownResult(toolError(kind, message), true) };
  } finally {
    await scratch.remove();
  }
}

function contextOf(
  deps: ContextDeps,
  { orgId, userId, policy, trialId }: BuiltinTestRun,
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
    // Tools that are billed to a turn are refused.
    noteUsage: () => undefined,
  };
  return outsideChat(toolContext(deps, scope, signal));
}

function refusedCall(message: string): TestRunResult {
  return { status: 'error', ...shownResult(toolError('denied', message), true) };
}

// Tools return texts and values; a model gets both as texts.
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
 * asks for one of them fails. Tools say so themselves (`onlyInChats`); this covers one that forgets it.
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

/** The result of a test call. */
type TestRunResult = Pick<TestRunOutcome, 'status' | 'result' | 'isJson'>;

/** The longest result that is shown, in characters. */
const MAX_RESULT = 100_000;

/** Returns a result as it is shown. What is cut is no JSON any more. */
function shownResult(text: string, isJson: boolean): Pick<TestRunOutcome, 'result' | 'isJson'> {
  return { result: cut(toStorableText(text), MAX_RESULT), isJson: isJson && text.length <= MAX_RESULT };
}

/** Makes the failure of a call that was stopped, because it took longer than anybody waits for it. */
function timedOut(effect: Effect, limitMs: number): ToolFailure {
  const message = `The call took longer than ${limitMs / 1000} seconds and was stopped`;
  return new ToolFailure('timeout', message, { isUncertain: effect !== 'read' });
}
