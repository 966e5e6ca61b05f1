import { toStorableText } from '../../../domain/core/text.ts';

/**
 * What a failure asks for. `busy` (429, quota, overload, no credit): the account rests; `credentials` (401, 403): it is
 * disabled; `outage` (5xx, no connection, broken off) and `timeout`: another provider is asked; `no_tools`: the model
 * does not take tools natively; `refused`: this request is wrong for this model, or its account lacks something.
 */
export type FailureKind = 'busy' | 'credentials' | 'outage' | 'timeout' | 'no_tools' | 'rejected';

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

  constructor(message: string, { kind = 'rejected', retryAfterMs, ...options }: FailureOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

const MAX_DETAIL_CHARACTERS = 300;

/** What is read at most of what a provider says of a failure. It may say far more, to keep the worker busy with it. */
export const MAX_SAID_CHARACTERS = 2_000;

// What keys look like at the providers of the catalog, and in headers that they echo.
const KEY_PATTERNS = [/\bAIza[\w-]{20,}/g, /bearer\s+\S+/gi];

// Some mask the middle of a key with asterisks or dots. How much must follow is asked afterwards, so that each character
// is looked at once.
const PREFIXED_KEY =
  /\b(?:sk|pk|gsk|xai|key|api|nvapi|hf|pplx|fw|csk|AIza)[-_](?<start>[\w-]{4,})(?<masked>[*.…]{2,}[\w-]*)?/gi;
const MIN_KEY_CHARACTERS = 8;

/** What a provider said of its failure, cut to a sentence, storable, and without anything that could be a key. */
export function scrub(detail: string, secret: string | undefined): string {
  const withoutSecret = takeOut(detail, secret).slice(0, MAX_SAID_CHARACTERS);
  const withoutPrefixed = withoutSecret.replace(PREFIXED_KEY, (whole, start: string, masked: string | undefined) =>
    start.length >= MIN_KEY_CHARACTERS || masked !== undefined ? '[secret]' : whole,
  );
  const clean = KEY_PATTERNS.reduce((text, pattern) => text.replace(pattern, '[secret]'), withoutPrefixed);
  const line = clean.replace(/\s+/g, ' ').trim();
  return toStorableText(line.length > MAX_DETAIL_CHARACTERS ? `${line.slice(0, MAX_DETAIL_CHARACTERS)}…` : line);
}

function takeOut(detail: string, secret: string | undefined): string {
  if (secret === undefined || secret.length < 4) return detail;
  // A secret that begins within what is read is read to its end, or what is left of it would be shown.
  return detail.slice(0, MAX_SAID_CHARACTERS + secret.length).replaceAll(secret, '[secret]');
}
