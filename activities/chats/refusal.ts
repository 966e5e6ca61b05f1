import type { ClaimedTurn } from '../../db/turns/index.ts';

/** Attempts after which a turn counts as one that ends its worker. */
const MAX_ATTEMPTS = 20;

/** Why the turn may not be answered, in words for its user; `undefined` when it may. Asked anew at each attempt. */
export function refusalOf(turn: ClaimedTurn): string | undefined {
  if (turn.isChatDeleted) return 'The chat was deleted before the message was answered.';
  if (turn.userRole === null) return 'You are no longer a member of this organization.';
  if (turn.agent.isDeleted) return `The agent "${turn.agent.name}" was deleted.`;
  if (!turn.agent.isActive)
    return `The agent "${turn.agent.name}" is not active. Activate it and send the message again.`;
  if (turn.attempt > MAX_ATTEMPTS)
    return `The answer was begun ${MAX_ATTEMPTS} times and broke off each time. Send the message again.`;
  return undefined;
}
