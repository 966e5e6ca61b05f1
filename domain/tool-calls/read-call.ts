import { isSourceNumber } from '../core/exact-json.ts';
import { isObject } from '../core/objects.ts';
import { toStorableText } from '../core/text.ts';
import { parseJson, quote, toArguments } from './parse-json.ts';
import {
  MAX_ARGUMENT_CHARACTERS,
  MAX_ARGUMENT_NESTING,
  MAX_CALLS_PER_REPLY,
  MAX_REPLY_ARGUMENT_CHARACTERS,
} from './tool-call.ts';

const MAX_NAME_CHARACTERS = 100;

/** A call as a provider sent it: nothing about it is checked. */
interface NativeCallText {
  readonly name: string;
  /** JSON; '' for none. */
  readonly argumentsText: string;
  /** The rest was dropped: the calls of the reply are larger together than allowed. */
  readonly isCut?: boolean;
}

/**
 * A call that can be stored. One with an issue is not run: the model gets the issue as its result, and the arguments
 * are empty.
 */
export interface ReadCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Why it cannot be run, in words that help the model to correct it. */
  readonly issue?: string;
}

/** Reads a call of either form; never throws. Which tool it is, and that tool's schema, are for others to check. */
export function readCall(call: NativeCallText | FencedCall): ReadCall {
  const name = toStorableText(call.name.trim().slice(0, MAX_NAME_CHARACTERS));
  const args = 'argumentsText' in call ? readNative(call) : checkFenced(call);
  if ('issue' in args) return { name, arguments: {}, issue: toStorableText(args.issue) };
  if (name === '') return { name, arguments: {}, issue: 'The call does not name a tool.' };
  return { name, arguments: args.value };
}

/** Returns the calls of one reply that are run, and how many more there were. */
export function planCalls<T>(calls: readonly T[]): { readonly kept: readonly T[]; readonly dropped: number } {
  const kept = calls.slice(0, MAX_CALLS_PER_REPLY);
  return { kept, dropped: calls.length - kept.length };
}

/** Tells the model about the calls that `planCalls` dropped; appended to the result of the last call that was kept. */
export function droppedCallsNotice(dropped: number): string {
  const calls = dropped === 1 ? '1 more call of this reply was' : `${dropped} more calls of this reply were`;
  return `${calls} not run: at most ${MAX_CALLS_PER_REPLY} calls of one reply are run.`;
}

type Arguments = { readonly value: Record<string, unknown> } | { readonly issue: string };

const TOO_LONG: Arguments = {
  issue: `The arguments are longer than ${MAX_ARGUMENT_CHARACTERS} characters. Send less in one call, or split it up.`,
};

const TOO_LONG_TOGETHER: Arguments = {
  issue: `The arguments of the calls of this reply are together longer than ${MAX_REPLY_ARGUMENT_CHARACTERS} characters. Send less in one reply.`,
};

function readNative({ argumentsText: text, isCut = false }: NativeCallText): Arguments {
  if (isCut) return TOO_LONG_TOGETHER;
  if (text.length > MAX_ARGUMENT_CHARACTERS) return TOO_LONG;
  if (text.trim() === '') return { value: {} };
  const parsed = parseJson(text);
  if ('issue' in parsed) {
    return { issue: `The arguments are not valid JSON (${parsed.issue}). They begin with: ${quote(text)}` };
  }
  const given = toArguments(parsed.value);
  if (given === undefined) return { issue: `The arguments are not a JSON object. They begin with: ${quote(text)}` };
  return checkValue(given);
}

function checkFenced(call: FencedCall): Arguments {
  if (call.issue !== undefined) return { issue: call.issue };
  const checked = checkValue(call.arguments);
  if ('issue' in checked) return checked;
  return JSON.stringify(checked.value).length > MAX_ARGUMENT_CHARACTERS ? TOO_LONG : checked;
}

function checkValue(value: Readonly<Record<string, unknown>>): Arguments {
  const issue = issueOf(value, MAX_ARGUMENT_NESTING);
  return issue === undefined ? { value: storableObject(value) } : { issue };
}

function issueOf(value: unknown, depthLeft: number): string | undefined {
  if (depthLeft < 0) return `The arguments are nested more than ${MAX_ARGUMENT_NESTING} levels deep.`;
  if (isSourceNumber(value)) {
    return Number.isFinite(Number(value.rawJSON)) ? undefined : 'The arguments contain a number that is too large.';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') return 'The arguments contain a field "__proto__", which is not allowed.';
    const issue = issueOf(item, depthLeft - 1);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function storableObject(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toStorableText(key), storable(item)]));
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value);
  if (Array.isArray(value)) return value.map(storable);
  return isObject(value) ? storableObject(value) : value;
}

/** The object in a fence, not yet validated. */
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
      `The tool_call fence does not contain valid JSON (${parsed.issue}). It begins with: ${quote(body)}. ${FORM}`,
    );
  }
  if (!isObject(parsed.value)) {
    return invalidCall(
      '',
      `The tool_call fence does not contain a JSON object. It begins with: ${quote(body)}. ${FORM}`,
    );
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

/** Represents a call beyond those of one reply that are run, so that it is counted. */
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

/** Returns the name of the tool that a body, not necessarily JSON, seems to call; '' when it is unclear. */
export function guessName(body: string): string {
  return /"name"\s*:\s*"([^"\\]{1,100})"/.exec(body.slice(0, 1_000))?.[1] ?? '';
}

function invalidCall(name: string, issue: string): FencedCall {
  return { name, arguments: {}, issue };
}
