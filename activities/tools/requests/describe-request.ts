import type { CallDetail } from '../../../domain/approvals/index.ts';
import { parseForeignJson } from '../../../domain/core/foreign-json.ts';
import { isObject } from '../../../domain/core/objects/is-object.ts';
import { maskSecrets } from '../../../domain/secrets/index.ts';
import type { BuiltRequest } from './built-request.ts';

/** Returns the parts of a request for a person: of headers the names alone, since the values may be secret. */
export function describeRequest({
  method,
  url,
  headers,
  body,
}: Pick<BuiltRequest, 'method' | 'url' | 'headers' | 'body'>): readonly CallDetail[] {
  const names = Object.keys(headers).join(', ');
  return [
    { label: 'Method', value: method },
    { label: 'Address', value: url },
    ...(names === '' ? [] : [{ label: 'Headers', value: names }]),
    ...(typeof body === 'string' ? [{ label: 'Body', value: maskBody(body) }] : []),
  ];
}

// A definition may hold secrets of its own. The parameters of a form are masked as those of an address are.
function maskBody(body: string): string {
  const read = parseForeignJson(body, { isExact: true });
  if ('value' in read && isObject(read.value)) return JSON.stringify(maskSecrets(read.value));
  return String(maskSecrets({ body: `?${body}` })['body']).slice(1);
}
