import { once } from 'node:events';
import type { Logger } from 'pino';
import type { ClaimedTurn, PlannedCall } from '../../../../db/turns/index.ts';
import type { ConversationInput } from '../../../../workflows/turns/contract.ts';
import {
  type CallDescription,
  type CallScope,
  knownFailureOf,
  NOTHING_ELSE,
  type Tool,
  type ToolContext,
  ToolFailure,
} from '../../../tools/index.ts';

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
  const why = knownFailureOf(error, { onlyReads: true })?.message ?? 'An internal error';
  return { details: [{ label: 'Details unavailable', value: why }], basis: { failure: why } };
}
