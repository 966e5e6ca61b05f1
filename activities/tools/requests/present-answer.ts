import { decodeText } from '../../../domain/core/texts/decode-text.ts';
import { isSecretName, maskSecrets } from '../../../domain/secrets/index.ts';
import type { GuardedResponse } from '../context.ts';

const TEXT_TYPE = /^text\/|[/+](?:json|xml|yaml|javascript|x-www-form-urlencoded|x-ndjson|graphql)\b/i;

/** Formats a response as text: status, address and headers without secrets, and the body as far as it is text. */
export function presentAnswer({ status, headers, body, finalUrl, isTruncated }: GuardedResponse): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${isSecretName(name) ? '***' : value}`);
  const head = [`HTTP status ${status}`, `address: ${addressOf(finalUrl)}`, ...lines].join('\n');
  const cut = isTruncated ? `\n[The body is longer; only its first ${body.length} bytes were read.]` : '';
  return `${head}\n\n${bodyText(body, headers.get('content-type') ?? '')}${cut}`;
}

function addressOf(url: string): string {
  return String(maskSecrets({ url })['url']);
}

/** Returns a body as text, as far as it is text. */
export function bodyText(body: Buffer, type: string): string {
  if (body.length === 0) return '';
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  const text = decodeAs(charset, body);
  if (!TEXT_TYPE.test(type) && text.slice(0, 8_192).includes('\u0000')) {
    return `[${body.length} bytes that are not text]`;
  }
  return text;
}

/** Returns a text in the encoding that its sender names; as UTF-8 when nobody knows that one. */
export function decodeAs(charset: string, bytes: Buffer): string {
  try {
    return decodeText(bytes, charset);
  } catch {
    return decodeText(bytes);
  }
}
