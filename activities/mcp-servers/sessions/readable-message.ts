import { isObject } from '../../../domain/core/objects/is-object.ts';
import { cut, toStorableText } from '../../../domain/core/text.ts';
import { parsedOrUndefined, protectNumbers } from './exact-results.ts';

const KNOWN: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);
/** Finds messages that may hold another part; what else has a type only costs the time of a closer look. */
const MAY_BE_UNKNOWN = /"type"\s*:\s*(?!"(?:text|image|audio|resource|resource_link)")/;
const MAX_SHOWN = 60;
/** Marks a text of our own in its `_meta`. */
const PLACEHOLDER = 'everturn/placeholder';

/**
 * Returns the JSON of a message as the SDK can read it: with numbers protected, and with a text for each part of a
 * result that is of no known type, for which the SDK would refuse the whole.
 */
export function toReadable(json: string): string {
  return protectNumbers(withKnownParts(json));
}

function withKnownParts(json: string): string {
  if (!json.includes('"content"') || !MAY_BE_UNKNOWN.test(json)) return json;
  const message = parsedOrUndefined(json);
  const result = isObject(message) ? message['result'] : undefined;
  if (!isObject(message) || !isObject(result) || !Array.isArray(result['content'])) return json;
  const content = result['content'].map((part: unknown) => (isKnown(part) ? part : toText(part)));
  return JSON.stringify({ ...message, result: { ...result, content } });
}

function isKnown(part: unknown): boolean {
  return isObject(part) && KNOWN.has(part['type']);
}

/** Returns whether a part of a result stands for one of an unknown type. */
export function isPlaceholder({ _meta: meta }: { readonly _meta?: object | undefined }): boolean {
  return meta !== undefined && PLACEHOLDER in meta;
}

function toText(part: unknown): object {
  const type = isObject(part) ? String(part['type']) : typeof part;
  const shown = cut(toStorableText(type), MAX_SHOWN);
  const text = `[A part of the type ${shown}, which is not known here: it is left out]`;
  return { type: 'text', text, _meta: { [PLACEHOLDER]: true } };
}
