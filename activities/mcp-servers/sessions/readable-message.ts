import { isSpecType } from '@modelcontextprotocol/client';
import { withPlainNumbers } from '../../../domain/core/objects/exact-json.ts';
import { isObject } from '../../../domain/core/objects/is-object.ts';
import { cut, toStorableText } from '../../../domain/core/text.ts';
import { parsedOrUndefined, protectNumbers } from './exact-results.ts';

const KNOWN: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);
const MAX_SHOWN = 60;
/** Marks a text of our own in its `_meta`. */
const PLACEHOLDER = 'everturn/placeholder';

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

/** Returns whether a part of a result stands for one that cannot be read. */
export function isPlaceholder({ _meta: meta }: { readonly _meta?: object | undefined }): boolean {
  return meta !== undefined && PLACEHOLDER in meta;
}

function toText(part: unknown): object {
  const type = isObject(part) ? String(part['type']) : typeof part;
  const shown = cut(toStorableText(type), MAX_SHOWN);
  const why = KNOWN.has(type) ? 'lacks what the protocol asks of it' : 'is not known here';
  const text = `[A part of the type ${shown}, which ${why}: it is left out]`;
  return { type: 'text', text, _meta: { [PLACEHOLDER]: true } };
}
