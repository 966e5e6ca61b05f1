import { isSpecType } from '@modelcontextprotocol/client';
import { isSourceNumber, parseExactJson, withPlainNumbers } from '../../../domain/core/exact-json.ts';
import { isObject } from '../../../domain/core/objects.ts';
import { cut, toStorableText } from '../../../domain/core/text.ts';
import { PLACEHOLDER } from '../placeholder.ts';

const KNOWN: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);
const MAX_SHOWN = 60;

const STRUCTURED = 'structuredContent';

/** Marks of messages that the SDK would refuse or change. */
const CONCERNED = [': null', ':null', '"content"', STRUCTURED] as const;

/**
 * Returns the JSON of a message as the SDK can read it: without the nulls that many servers write for what they leave
 * out, with numbers of a structured result protected, and with a text for each part of a result that the protocol does
 * not know. For any of these the SDK would refuse the whole message, or change it.
 */
export function toReadable(json: string): string {
  if (!CONCERNED.some((text) => json.includes(text))) return json;
  const message = parsedOrUndefined(json);
  if (!isObject(message)) return json;
  const { result, ...readable }: Record<string, unknown> = {
    ...withoutNulls(message),
    ...('id' in message && { id: message['id'] }),
  };
  return JSON.stringify({ ...readable, result: isObject(result) ? toReadableResult(result) : result });
}

/** Fields whose contents belong to the server: null means something there. */
const FREE: ReadonlySet<string> = new Set([STRUCTURED, 'inputSchema', 'outputSchema', '_meta']);

function withoutNulls(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(given.map(([name, each]) => [name, FREE.has(name) ? each : withoutNullsIn(each)]));
}

function withoutNullsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNullsIn);
  return isObject(value) ? withoutNulls(value) : value;
}

function toReadableResult(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { content, [STRUCTURED]: structured, ...rest } = result;
  return {
    ...rest,
    ...(content !== undefined && { content: (Array.isArray(content) ? content : [content]).map(toReadablePart) }),
    ...(structured !== undefined && { [STRUCTURED]: toProtected(structured) }),
  };
}

// Nothing here reads the notes beside a part, which many servers write otherwise than the protocol has it.
function toReadablePart(part: unknown): unknown {
  if (isSpecType.ContentBlock(withPlainNumbers(part))) return part;
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isObject(part)) return toText(part);
  const { annotations: _annotations, _meta, ...bare } = part;
  return isSpecType.ContentBlock(withPlainNumbers(bare)) ? bare : toText(part);
}

function toText(part: unknown): object {
  const type = isObject(part) ? String(part['type']) : typeof part;
  const shown = cut(toStorableText(type), MAX_SHOWN);
  const why = KNOWN.has(type) ? 'lacks what the protocol asks of it' : 'is not known here';
  const text = `[A part of the type ${shown}, which ${why}: it is left out]`;
  return { type: 'text', text, _meta: { [PLACEHOLDER]: true } };
}

/** Marks a text that replaces a number. No text of a server begins so: it is no character. */
const MARK = '\uFFFF#';
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Names the only member of an object that wraps a structured result that is none. */
const WRAPPED = '\uFFFF';

/**
 * Returns a structured result in which texts replace the numbers that the SDK's parser would change, in an object, as
 * the SDK expects. `restoreStructured` reverses this.
 */
function toProtected(content: unknown): Record<string, unknown> {
  const marked = mapped(content, mark);
  return isObject(marked) ? marked : { [WRAPPED]: marked };
}

/** Returns a structured result as the server sent it, numbers included. */
export function restoreStructured(content: unknown): unknown {
  const whole = isObject(content) && WRAPPED in content ? content[WRAPPED] : content;
  return mapped(whole, unmark);
}

function mark(value: unknown): unknown {
  return isSourceNumber(value) ? MARK + value.rawJSON : value;
}

function unmark(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
  const number = value.slice(MARK.length);
  return NUMBER.test(number) ? parseExactJson(number) : value;
}

function mapped(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => mapped(each, change));
  if (!isObject(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapped(each, change)]));
}

/** Returns the value of a JSON text with its numbers; undefined for what is none. */
function parsedOrUndefined(json: string): unknown {
  try {
    return parseExactJson(json);
  } catch {
    return undefined;
  }
}
