import type { ClaimedTurn } from '../../../db/turns/claim/claimed-turn.ts';
import { permits, type Policy } from '../../../domain/permissions/policy.ts';
import { MAX_STEPS } from '../../../domain/tool-calls/tool-call.ts';

/** Tries of a step, and of the turn's calls, after which the turn is assumed to kill its worker. */
const MAX_TRIES = 20;
/** Reads of its long conversation after which the same is assumed; from the second on they are made with care. */
const MAX_UNFINISHED_READS = 3;

/** Unexpected errors in a row after which it is assumed that each attempt meets one. */
export const MAX_FAULTS = 5;

/** The message to the user of a turn that meets unexpected errors only. */
export const FAULTY =
  'The answer failed repeatedly because of an internal error. The server log has the details. Send the message again to retry.';

/**
 * Returns why the turn may not continue, in words for its user; `undefined` when it may. Checked again at each step.
 */
export function blockedReasonOf(turn: ClaimedTurn): string | undefined {
  if (turn.isChatDeleted) return 'The chat was deleted before the message was answered.';
  if (turn.policy === null) return 'You are no longer a member of this organization.';
  if (turn.agent.isDeleted) return `The agent "${turn.agent.name}" was deleted.`;
  if (!turn.agent.isActive)
    return `The agent "${turn.agent.name}" is not active. Activate it and send the message again.`;
  return policyBlockedReason(turn, turn.policy) ?? exhaustedReason(turn);
}

function policyBlockedReason({ agent, accounts, chain }: ClaimedTurn, policy: Policy): string | undefined {
  if (!permits(policy, 'agentIds', agent.id))
    return `Your permission groups do not let you use the agent "${agent.name}".`;
  if (accounts.usable.length === 0 && policy.allowlists.providerIds !== 'all')
    return 'Your permission groups allow certain provider accounts only, and you can use none of them: they were removed, or are not shared with you.';
  if (accounts.hasOthersOnly)
    return 'No provider account is shared with you. Add one of your own, or ask an administrator to share one.';
  if (chain === null && policy.allowlists.chainIds !== 'all')
    return 'Your permission groups allow certain provider chains only, and none of them exists any more.';
  return undefined;
}

function exhaustedReason(turn: ClaimedTurn): string | undefined {
  if (turn.isOverdue) return "The sub-agent's time limit is up.";
  if (turn.faults >= MAX_FAULTS) return FAULTY;
  if (turn.stepTries + turn.lostCallTries > MAX_TRIES)
    return `The answer was started ${MAX_TRIES} times and failed each time. Send the message again.`;
  if (turn.unfinishedReads >= MAX_UNFINISHED_READS)
    return `The service broke down ${MAX_UNFINISHED_READS} times while it read this long conversation. Exclude long messages from it, or start a new chat.`;
  if (turn.openCalls.length === 0 && turn.step >= MAX_STEPS)
    return `The agent took ${MAX_STEPS} steps without finishing. Send another message to let it continue.`;
  return undefined;
}
