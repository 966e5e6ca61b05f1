import type { PlannedCall } from '../../../db/turns/index.ts';

/** Makes a call that is never run: it is stored with its result, an error that tells the model why. */
export function closedCall(
  { id, name, arguments: args }: Pick<PlannedCall, 'id' | 'name' | 'arguments'>,
  result: string,
): PlannedCall {
  const outcome = { status: 'error', result } as const;
  return { id, name, label: name, arguments: args, effect: 'read', outcome, delegation: undefined };
}
