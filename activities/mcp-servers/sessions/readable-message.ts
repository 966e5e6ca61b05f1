import { isSpecType } from '@modelcontextprotocol/client';
import { isSourceNumber, parseExactJson, withPlainNumbers } from '../../../domain/core/exact-json.ts';
import { isObject } from '../../../domain/core/objects.ts';
import { cut, toStorableText } from '../../../domain/core/text.ts';
import { PLACEHOLDER } from '../placeholder.ts';

const KNOWN: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);
const MAX_SHOWN = 60;

/**
 * Returns the JSON of a message as the SDK can read it: with numbers protected, and with a text for each part of a
 * result that the protocol does not know, for which the SDK would refuse the whole.
 */
export function toReadable(json: string): string {
  return protectNumbers(withReadableParts(json));
}

function withReadableParts(json: string): string {
  if (!json.includes('"content"')) return json;
  const message = parsedOrUndefined(json);
  const result = isObject(message) ? message['result'] : undefined;
  const parts: unknown = isObject(result) ? result['content'] : undefined;
  if (!isObject(message) || !isObject(result) || !Array.isArray(parts)) return json;
  const content = parts.map(toReadablePart);
  if (content.every((part, at) => part === parts[at])) return json;
  return JSON.stringify({ ...message, result: { ...result, content } });
}

// Nothing here reads the notes beside a part, which many servers write otherwise than the protocol has it.
function toReadablePart(part: unknown): unknown {
  if (isSpecType.ContentBlock(withPlainNumbers(part))) return part;
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

const FIELD = 'structuredContent';

/** Begins a text that stands for a number. No text of a server's own begins so: it is no character. */
const MARK = '\uFFFF#';
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Returns the JSON of a message in which texts stand for the numbers of a structured result that the SDK's parser would
 * change. `restoreNumbers` brings them back.
 */
function protectNumbers(json: string): string {
  if (!json.includes(FIELD)) return json;
  const message = parsedOrUndefined(json);
  if (!isObject(message) || !isObject(message['result']) || !(FIELD in message['result'])) return json;
  const result = { ...message['result'], [FIELD]: mapped(message['result'][FIELD], mark) };
  return JSON.stringify({ ...message, result });
}

/** Returns a structured result with its numbers as the server sent them. */
export function restoreNumbers<T>(content: T): T {
  return mapped(content, unmark) as T;
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
