import { isSourceNumber, parseExactJson } from '../../../domain/core/objects/exact-json.ts';
import { isObject } from '../../../domain/core/objects/is-object.ts';

const FIELD = 'structuredContent';
/** Begins a text that stands for a number. No text of a server's own begins so: it is no character. */
const MARK = '\uFFFF#';
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Returns the JSON of a message in which texts stand for the numbers of a structured result that the SDK's parser would
 * change. `restoreNumbers` brings them back.
 */
export function protectNumbers(json: string): string {
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
export function parsedOrUndefined(json: string): unknown {
  try {
    return parseExactJson(json);
  } catch {
    return undefined;
  }
}
