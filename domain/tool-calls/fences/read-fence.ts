import { isObject } from '../../core/objects/is-object.ts';
import { MAX_CALLS_PER_REPLY } from '../limits.ts';
import { parseJson, toArguments } from '../parse-json.ts';
import { quote } from '../quote.ts';

/** A call as a fence held it: an object, but nothing in it is checked. */
export interface FencedCall {
  /** '' when it could not be read. */
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Why the call cannot be run, in words that help the model to correct it. */
  readonly issue?: string;
}

const FORM = 'Write one JSON object {"name": "...", "arguments": {...}} between the opening and the closing fence.';

/** Returns the call that the text between the fences describes; never throws. */
export function readFence(body: string): FencedCall {
  if (body.trim() === '') return invalidCall('', `The tool_call fence is empty. ${FORM}`);
  const parsed = parseJson(body);
  if ('issue' in parsed) {
    return invalidCall(
      guessName(body),
      `The tool_call fence does not hold valid JSON (${parsed.issue}). It begins with: ${quote(body)}. ${FORM}`,
    );
  }
  if (!isObject(parsed.value)) {
    return invalidCall('', `The tool_call fence does not hold a JSON object. It begins with: ${quote(body)}. ${FORM}`);
  }
  return readObject(parsed.value);
}

/** Returns the call of a fence that was still open when the reply ended. */
export function unclosedCall(body: string): FencedCall {
  return invalidCall(
    guessName(body),
    'The tool_call fence was not closed before the reply ended. Put the closing fence on a line of its own.',
  );
}

/** Returns the call of a fence that is longer than any call may be; `start` is how it begins. */
export function overlongCall(start: string): FencedCall {
  return invalidCall(guessName(start), 'The tool_call fence is too long. Send less in one call, or split it up.');
}

/** Stands for a call beyond those of one reply that are run, so that it is counted. */
export const UNREAD_CALL: FencedCall = invalidCall('', `Only ${MAX_CALLS_PER_REPLY} calls of one reply are run.`);

function readObject(fields: Record<string, unknown>): FencedCall {
  const { name, arguments: given } = fields;
  if (typeof name !== 'string') return invalidCall('', `The tool_call has no "name" that is a string. ${FORM}`);
  const unknown = Object.keys(fields).filter((key) => !['id', 'name', 'arguments'].includes(key));
  if (unknown.length > 0) {
    return invalidCall(name, `The tool_call has unknown fields: ${quote(unknown.join(', '))}. ${FORM}`);
  }
  const args = toArguments(given);
  return args === undefined
    ? invalidCall(name, `The "arguments" of the tool_call are not a JSON object. ${FORM}`)
    : { name, arguments: args };
}

/** Returns the name of the tool that a body seems to call, which need not be JSON; '' when it cannot be told. */
export function guessName(body: string): string {
  return /"name"\s*:\s*"([^"\\]{1,100})"/.exec(body.slice(0, 1_000))?.[1] ?? '';
}

function invalidCall(name: string, issue: string): FencedCall {
  return { name, arguments: {}, issue };
}
