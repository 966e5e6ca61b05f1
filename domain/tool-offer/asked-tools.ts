import type { CallRecord, TurnRecord } from '../transcripts/index.ts';
import { namesIn, TOOL_DESCRIBE } from './tool-describe.ts';

/** Tools that are described beside those given at first; a further one takes the place of the oldest. */
const MAX_ASKED = 40;

/**
 * Returns which of the named tools a conversation has asked for, or called, in the order in which it did so first. It
 * follows from the stored calls alone: whoever goes on with the conversation offers the same.
 */
export function askedTools(turns: readonly TurnRecord[], named: ReadonlySet<string>): readonly string[] {
  const asked: string[] = [];
  for (const name of turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls.flatMap(namesOf)))) {
    if (!named.has(name) || asked.includes(name)) continue;
    asked.push(name);
    if (asked.length > MAX_ASKED) asked.shift();
  }
  return asked;
}

function namesOf({ name, status, arguments: args }: CallRecord): readonly string[] {
  if (name !== TOOL_DESCRIBE.name) return [name];
  return status === 'success' ? namesIn(args) : [];
}
