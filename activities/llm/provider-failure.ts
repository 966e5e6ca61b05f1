import { toStorableText } from '../../domain/core/text.ts';

/**
 * What a failure asks for. `busy` (429, quota, overload, no credit): the account rests; `credentials` (401, 403): it is
 * disabled; `outage` (5xx, no connection, broken off) and `timeout`: another provider is asked; `no_tools`: the model
 * does not take tools natively; `refused`: this request is wrong for this model, or its account lacks something.
 */
export type FailureKind = 'busy' | 'credentials' | 'outage' | 'timeout' | 'no_tools' | 'refused';

interface FailureOptions extends ErrorOptions {
  readonly kind?: FailureKind;
  /** What the provider asks to be left alone for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** A provider did not give an answer. The message is in words for the user and holds no secret. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly kind: FailureKind;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { kind = 'refused', retryAfterMs, ...options }: FailureOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
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
