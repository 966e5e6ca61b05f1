import { isSecretName, maskSecrets } from '../../../domain/secrets/index.ts';
import { encodingNotice, readText } from '../../core/texts/read-text.ts';
import type { GuardedResponse } from '../context.ts';

const TEXT_TYPE = /^text\/|[/+](?:json|xml|yaml|javascript|x-www-form-urlencoded|x-ndjson|graphql)\b/i;

/** Formats a response as text: status, address and headers without secrets, and the body as far as it is text. */
export function presentAnswer({ status, headers, body, finalUrl, isTruncated }: GuardedResponse): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${isSecretName(name) ? '***' : value}`);
  const head = [`HTTP status ${status}`, `address: ${addressOf(finalUrl)}`, ...lines].join('\n');
  const cut = isTruncated ? `\n[The body is longer; only its first ${body.length} bytes were read.]` : '';
  const { text, notice } = readBody(body, headers.get('content-type') ?? '');
  return `${head}\n\n${text}${cut}${notice === undefined ? '' : `\n${notice}`}`;
}

function addressOf(url: string): string {
  return String(maskSecrets({ url })['url']);
}

/** Returns a body as text, as far as it is text. */
export function bodyText(body: Buffer, type: string): string {
  return readBody(body, type).text;
}

/** Returns a body as text, as far as it is text, with a notice when its encoding is uncertain. */
export function readBody(body: Buffer, type: string): { readonly text: string; readonly notice?: string | undefined } {
  if (body.length === 0) return { text: '' };
  const read = readText(body, type);
  if (!TEXT_TYPE.test(type) && read.text.slice(0, 8_192).includes('\u0000')) {
    return { text: `[${body.length} bytes that are not text]` };
  }
  return { text: read.text, notice: encodingNotice(read) };
}
