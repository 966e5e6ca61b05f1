import { parser } from '@lezer/json';
import { parseJson } from '../../core/http/api-client.ts';

/** What a text says as JSON, or the line, from 1, at which it ceases to be JSON. */
type JsonText = { readonly value: unknown } | { readonly fault: { readonly line: number } };

/** Reads a text as JSON. Browsers word and place what is wrong differently: the place is found by a parser here. */
export function readJson(text: string): JsonText {
  try {
    return { value: parseJson(text) };
  } catch {
    const line = text.slice(0, faultAt(text)).split('\n').length;
    return { fault: { line } };
  }
}

/** Writes a value as JSON for people to read and change. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

function faultAt(text: string): number {
  let at: number | undefined;
  parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) at ??= from;
      return at === undefined;
    },
  });
  return at ?? text.length;
}
