import { isSourceNumber } from '../core/objects/exact-json.ts';
import { isObject } from '../core/objects/is-object.ts';
import { toStorableText } from '../core/text.ts';
import {
  MAX_ARGUMENT_CHARACTERS,
  MAX_ARGUMENT_NESTING,
  MAX_CALLS_PER_REPLY,
  MAX_REPLY_ARGUMENT_CHARACTERS,
} from './limits.ts';
import { parseJson, toArguments } from './parse-json.ts';
import { quote } from './quote.ts';
import type { FencedCall } from './fences/read-fence.ts';

const MAX_NAME_CHARACTERS = 100;

/** A call as a provider sent it: nothing about it is checked. */
interface NativeCallText {
  readonly name: string;
  /** JSON; '' for none. */
  readonly argumentsText: string;
  /** The rest was not kept: the calls of the reply hold more than they may together. */
  readonly isCut?: boolean;
}

/**
 * A call that can be stored. One with an issue is not run: the model is told the issue, and the arguments are empty.
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

/** Tells the model of the calls that `planCalls` dropped; goes with the result of the last one that was kept. */
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
    return Number.isFinite(Number(value.rawJSON)) ? undefined : 'The arguments hold a number that is too large.';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') return 'The arguments hold a field "__proto__", which is not allowed.';
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
