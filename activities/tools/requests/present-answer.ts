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
  if (!TEXT_TYPE.test(type) && body.subarray(0, 8_192).includes(0)) {
    return `[${body.length} bytes that are not text]`;
  }
  return decode(body, charset);
}

function decode(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString();
  }
}
