import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../../db/core/database.ts';
import { type BegunCall, replanCall } from '../../../db/turns/calls/begin-call.ts';
import type { ClaimedTurn } from '../../../db/turns/claim/claimed-turn.ts';
import type { PlannedCall } from '../../../db/turns/steps/store-step.ts';
import type { ApprovalModes } from '../../../domain/approvals.ts';
import { permits } from '../../../domain/permissions/policy.ts';
import { restrictAgent } from '../../../domain/permissions/restrict.ts';
import { droppedCallsNotice, planCalls, type ReadCall } from '../../../domain/tool-calls/read-call.ts';
import { type Repetition, repetitionFailure, repetitionNotice } from '../../../domain/tool-calls/repetition.ts';
import type { CallDescription, CallError, CallPlan, Tool, ToolParameters } from '../../tools/tool.ts';
import { toolError } from '../../tools/call/execute-call.ts';
import type { Toolset, ToolsetFor } from '../../tools/toolset.ts';
import { mustWait, planApproval, planQuestion } from './approvals.ts';

/** A longer schema is not part of an error; the tool is described at the next step in any case. */
const MAX_SCHEMA_CHARACTERS = 8_000;

/** The calls of a reply as they are stored; or why the turn cannot continue with them. */
type ReplyPlan = { readonly calls: readonly PlannedCall[] } | { readonly stop: string };

interface PlanDeps {
  readonly toolset: Toolset;
  /** How long a call waits for a person's decision, in milliseconds. */
  readonly approvalWaitMs: number;
  /** Describes a call that waits for a decision, as it would be made now. */
  readonly describe: (tool: Tool, call: Pick<PlannedCall, 'id' | 'arguments'>) => Promise<CallDescription>;
  /** Evaluates whether calls repeat those that the turn has made. */
  readonly evaluate: (calls: readonly ReadCall[]) => Promise<readonly Repetition[]>;
}

/** The settings of the decisions that calls of a reply wait for. */
interface ApprovalPlan extends Pick<PlanDeps, 'describe'> {
  readonly modes: ApprovalModes;
  readonly expiresAt: Date;
}

/** A call that is planned by its tool, or one that is closed with a result. */
type Draft = ReadCall & ({ readonly tool: Tool } | { readonly result: string });

/**
 * Plans each call of a reply, or rejects it with words that help the model. Calls beyond the limit are dropped, and the
 * last one kept reports them.
 */
export async function planReply(
  turn: { readonly agent: Pick<ClaimedTurn['agent'], 'requiresApproval'> },
  read: readonly ReadCall[],
  { toolset, approvalWaitMs, describe, evaluate }: PlanDeps,
): Promise<ReplyPlan> {
  const { kept, dropped } = planCalls(read);
  const repetitions = await evaluate(kept);
  const stopped = kept.find((_call, index) => repetitions[index]?.verdict === 'stop');
  if (stopped !== undefined) return { stop: repetitionFailure(stopped.name) };
  const drafts = kept.map((call, index): Draft => {
    // The last call kept is not run either: a call has one result, and this one must report the others.
    if (dropped > 0 && index === kept.length - 1)
      return rejected(call, 'invalid_input', `This call and ${droppedCallsNotice(dropped)}`);
    const repetition = repetitions[index];
    if (repetition?.verdict === 'warn') return { ...call, result: repetitionNotice(repetition) };
    return draftOf(call, toolset);
  });
  const expiresAt = new Date(Date.now() + approvalWaitMs);
  const approvals = { modes: turn.agent.requiresApproval, expiresAt, describe };
  return { calls: await planDrafts(drafts, toolset, approvals) };
}

function draftOf(call: ReadCall, toolset: Toolset): Draft {
  if (call.issue !== undefined) return rejected(call, 'invalid_input', call.issue);
  const tool = toolset.find(call.name);
  return tool === undefined
    ? rejected(call, 'denied', `There is no tool "${call.name}" that you may use.`)
    : { ...call, tool };
}

function rejected(call: ReadCall, kind: CallError['error']['kind'], message: string): Draft {
  return { ...call, result: toolError(kind, message) };
}

// Each tool plans all its calls together, so that look-ups happen once.
async function planDrafts(
  drafts: readonly Draft[],
  toolset: Toolset,
  approvals: ApprovalPlan,
): Promise<readonly PlannedCall[]> {
  const open = drafts.flatMap((draft) => ('tool' in draft ? [draft] : []));
  const plans = new Map<Draft, CallPlan | CallError | undefined>();
  for (const [tool, calls] of Map.groupBy(open, (draft) => draft.tool)) {
    const planned = await tool.plan(calls.map(({ arguments: args }) => args));
    const missing = toolset.parametersOfNamed(tool.key);
    for (const [index, call] of calls.entries()) plans.set(call, withParameters(planned[index], missing));
  }
  return Promise.all(drafts.map(async (draft) => callOf(draft, plans.get(draft), approvals)));
}

// A model that calls a tool that it knows by name alone learns by the error what it takes.
function withParameters(
  plan: CallPlan | CallError | undefined,
  parameters: ToolParameters | undefined,
): CallPlan | CallError | undefined {
  if (plan === undefined || !('error' in plan) || plan.error.kind !== 'invalid_input') return plan;
  const schema = JSON.stringify(parameters) ?? '';
  if (schema === '' || schema.length > MAX_SCHEMA_CHARACTERS) return plan;
  const message = `${plan.error.message}. The JSON Schema of its arguments is: ${schema}`;
  return { error: { ...plan.error, message } };
}

async function callOf(
  draft: Draft,
  plan: CallPlan | CallError | undefined,
  { modes, expiresAt, describe }: ApprovalPlan,
): Promise<PlannedCall> {
  const call = { id: uuidv7(), name: draft.name, arguments: draft.arguments };
  if ('result' in draft) return closedCall(call, draft.result);
  if (plan === undefined) throw new Error(`the tool ${draft.name} has left a call without a plan`);
  if ('error' in plan) return closedCall(call, toolError(plan.error.kind, plan.error.message));
  const { effect, label, delegation, question } = plan;
  const planned = { ...call, label, effect, delegation, outcome: undefined };
  if (question !== undefined) return { ...planned, approval: planQuestion(question) };
  if (!mustWait(draft.tool, plan, modes)) return planned;
  const description = await describe(draft.tool, call);
  return { ...planned, approval: planApproval(draft.tool, { description, expiresAt }) };
}

/** Creates a call that is never run: it is stored as failed, with an error that explains why to the model. */
function closedCall(
  { id, name, arguments: args }: Pick<PlannedCall, 'id' | 'name' | 'arguments'>,
  result: string,
): PlannedCall {
  const outcome = { status: 'error', result } as const;
  return { id, name, label: name, arguments: args, effect: 'read', outcome, delegation: undefined };
}

/**
 * Returns the tool of a call that begins, if its agent and user may use it. It is looked up again, since their rights
 * can have changed since the call was planned.
 */
export async function findTool(
  toolsetFor: ToolsetFor,
  orgId: string,
  { policy, agent, name }: Pick<BegunCall, 'policy' | 'agent' | 'name'>,
): Promise<Tool | undefined> {
  if (policy === null || !agent.isUsable || !permits(policy, 'agentIds', agent.id)) return undefined;
  const toolset = await toolsetFor({ orgId, policy, agent: restrictAgent(policy, agent) });
  return toolset.find(name);
}

/**
 * Returns a call that begins with effect and label of the arguments with which it was approved: what was planned is
 * that of the model's, and a call edited from reading to writing must be neither repeated nor allowed as one that
 * reads. Both are stored before anything runs. Without a tool that can plan it, it counts as one that must not happen
 * twice.
 */
export async function replanEdited(
  { database, toolsetFor }: { readonly database: Database; readonly toolsetFor: ToolsetFor },
  orgId: string,
  call: BegunCall,
): Promise<BegunCall> {
  if (call.decision?.status !== 'approved' || !call.decision.isEdited) return call;
  const tool = await findTool(toolsetFor, orgId, call);
  const [plan] = tool === undefined ? [] : await tool.plan([call.arguments]);
  if (plan === undefined || 'error' in plan) return { ...call, effect: 'once' };
  const replanned = { ...call, effect: plan.effect, label: plan.label };
  await replanCall(database, orgId, replanned);
  return replanned;
}
