import { toStorableText } from '../../domain/core/text.ts';

/** A provider did not give an answer. The message is in words for the user and holds no secret. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
}

const MAX_DETAIL_CHARACTERS = 300;

// What keys look like at the providers of the catalog, and in headers that they echo.
const KEY_PATTERNS = [
  // Some mask the middle of a key with asterisks or dots.
  /\b(sk|pk|gsk|xai|key|api|nvapi|hf|pplx|fw|csk|AIza)[-_][\w-]{4,}[*.…]{2,}[\w-]*/gi,
  /\b(sk|pk|gsk|xai|key|api|nvapi|hf|pplx|fw|csk|AIza)[-_][\w-]{8,}/gi,
  /\bAIza[\w-]{20,}/g,
  /bearer\s+\S+/gi,
];

/** What a provider said of its failure, cut to a sentence, storable, and without anything that could be a key. */
export function scrub(detail: string, secret: string | undefined): string {
  const withoutSecret = secret !== undefined && secret.length >= 4 ? detail.replaceAll(secret, '[secret]') : detail;
  const clean = KEY_PATTERNS.reduce((text, pattern) => text.replace(pattern, '[secret]'), withoutSecret);
  const line = clean.replace(/\s+/g, ' ').trim();
  return toStorableText(line.length > MAX_DETAIL_CHARACTERS ? `${line.slice(0, MAX_DETAIL_CHARACTERS)}…` : line);
}
