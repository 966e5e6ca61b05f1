import { once } from 'node:events';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { ClaimedTurn } from '../../../db/turns/claim/claimed-turn.ts';
import type { PlannedApproval, PlannedCall } from '../../../db/turns/steps/store-step.ts';
import { type ApprovalModes, type CallDetail, needsApproval } from '../../../domain/approvals.ts';
import { cut, toStorableText } from '../../../domain/core/text.ts';
import { AGENT_SPAWN } from '../../../domain/tool-calls/tool-call.ts';
import { maskSecrets } from '../../../domain/secrets.ts';
import type { ConversationInput } from '../../../workflows/turns/contract.ts';
import { type CallDescription, type CallPlan, NOTHING_ELSE, type Tool } from '../../tools/tool.ts';
import type { CallScope } from '../../tools/operations/tool-context.ts';
import { digestOf, knownFailureOf } from '../../tools/call/execute-call.ts';
import type { ToolContext } from '../../tools/context.ts';
import { ToolFailure } from '../../tools/tool-failure.ts';

/** Returns the answer that a call of a question waits for. Its arguments say all, and are not edited. */
export function planQuestion({ deadline, ...question }: NonNullable<CallPlan['question']>): PlannedApproval {
  const digest = digestOf(NOTHING_ELSE);
  return { id: uuidv7(), expiresAt: deadline, parameters: null, details: [], digest, question };
}

/** A larger schema is not kept: the arguments of such a call cannot be edited. */
const MAX_SCHEMA_CHARACTERS = 100_000;

/** Returns whether a call has to wait for a person's decision. */
export function mustWait({ key, listedAs, isAboutTools = false }: Tool, plan: CallPlan, modes: ApprovalModes): boolean {
  return !isAboutTools && needsApproval(modes, { key, listedAs, approval: plan.approval }, plan.effect);
}

/** Returns the decision that a call waits for, about what it would do now. */
export function planApproval(
  tool: Tool,
  { description, expiresAt }: { readonly description: CallDescription; readonly expiresAt: Date },
): PlannedApproval {
  // A sub-agent and its task are stored with the call.
  const parameters = tool.key === AGENT_SPAWN ? null : (tool.checkedBy ?? tool.parameters);
  const isKept = parameters !== null && JSON.stringify(parameters).length <= MAX_SCHEMA_CHARACTERS;
  return {
    id: uuidv7(),
    expiresAt,
    parameters: isKept ? parameters : null,
    details: shownDetails(description.details),
    digest: digestOf(description),
  };
}

/** The longest list is of a workflow: its name and agent, and a prompt and an agent for each of its 20 steps. */
const MAX_DETAILS = 50;
const MAX_LABEL = 100;

/** A script of a custom tool is shown whole. */
const MAX_VALUE = 32_000;

/** The maximum length of all values of a call, in characters. */
const MAX_TOTAL = 48_000;

/**
 * Returns details as they are stored: without likely secrets, and of bounded length, with a note of what is left out.
 */
function shownDetails(details: readonly CallDetail[]): readonly CallDetail[] {
  const shown: CallDetail[] = [];
  let room = MAX_TOTAL;
  for (const { label, value } of details.slice(0, MAX_DETAILS)) {
    const text = String(maskSecrets({ value: toStorableText(value) })['value']);
    const kept = cut(text, Math.min(MAX_VALUE, room));
    room -= kept.length;
    const rest = text.length - kept.length;
    shown.push({ label: cut(label, MAX_LABEL), value: rest === 0 ? kept : `${kept}… (${rest} more characters)` });
  }
  const left = details.length - shown.length;
  return left === 0 ? shown : [...shown, { label: 'Left out', value: `${left} more lines` }];
}

export interface DescribeDeps {
  readonly contextFor: (scope: CallScope, signal: AbortSignal) => ToolContext;
  readonly log: Logger;
}

const LIMIT_MS = 20_000;

/** Returns how the calls of a turn are described for the person who decides about them. */
export function describeCalls(deps: DescribeDeps, chat: ConversationInput, turn: ClaimedTurn, stop: AbortSignal) {
  return async (
    tool: Tool,
    { id, arguments: args }: Pick<PlannedCall, 'id' | 'arguments'>,
  ): Promise<CallDescription> => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(LIMIT_MS)]);
    const context = deps.contextFor(scopeOf(chat, turn, id), signal);
    const late = once(signal, 'abort').then(() => {
      throw new ToolFailure('timeout', 'It took too long');
    });
    try {
      const describe = async () => tool.describe?.(args, context) ?? NOTHING_ELSE;
      return await Promise.race([late, describe()]);
    } catch (error) {
      return undescribed(error, deps.log);
    }
  };
}

function scopeOf({ orgId, chatId }: ConversationInput, turn: ClaimedTurn, callId: string): CallScope {
  const { userId, policy, agent, ancestors } = turn;
  return {
    orgId,
    userId,
    policy,
    agentId: agent.id,
    skillKeys: agent.skills,
    workspaceChatId: ancestors[0]?.chatId ?? chatId,
    chatId,
    idempotencyKey: callId,
    isRepeated: false,
    // Nothing is made of what it reads, so it counts as if it came from outside.
    hasForeignText: true,
    isApproved: false,
    noteUsage: () => undefined,
  };
}

/**
 * Returns a description for a person where a call could not be described. It is the basis of no call that is made: once
 * there is another one, approval is requested again.
 */
function undescribed(error: unknown, log: Logger): CallDescription {
  if (!(error instanceof ToolFailure))
    log.warn({ err: error }, 'a call that waits for approval could not be described');
  const why =
    knownFailureOf(error, { onlyReads: true })?.message ??
    'The tool has a fault; the log of the server has the details';
  return { details: [{ label: 'Details unavailable', value: why }], basis: { failure: why } };
}
