import { toStorableText } from '../../../domain/core/text.ts';

/**
 * The kind of a failure, which decides the reaction. `busy` (429, quota, overload, no credit): the account cools down.
 * `credentials` (401, 403): it is disabled. `outage` (5xx, no connection, connection lost) and `timeout`: another
 * provider is called. `no_tools`: the model takes no native tools. `rejected`: this request is wrong for this model, or
 * its account lacks something.
 */
export type FailureKind = 'busy' | 'credentials' | 'outage' | 'timeout' | 'no_tools' | 'rejected';

interface FailureOptions extends ErrorOptions {
  readonly kind?: FailureKind;
  /** The delay that the provider asks for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly isTooLong?: boolean | undefined;
}

/** A provider gave no reply. The message is meant for the user and contains no secret. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly kind: FailureKind;
  readonly retryAfterMs: number | undefined;
  /** Whether the conversation has more tokens than the model accepts. */
  readonly isTooLong: boolean;

  constructor(
    message: string,
    { kind = 'rejected', retryAfterMs, isTooLong = false, ...options }: FailureOptions = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.isTooLong = isTooLong;
  }
}

const MAX_DETAIL_CHARACTERS = 300;

/** The most that is read of a provider's error text. A hostile one may send far more to keep the worker busy. */
export const MAX_SAID_CHARACTERS = 2_000;

// The formats of keys at the providers of the catalog, and in headers that they echo.
const KEY_PATTERNS = [/\bAIza[\w-]{20,}/g, /\bya29\.[\w.-]+/g, /bearer\s+\S+/gi];

// Some providers mask the middle of a key with asterisks or dots. The minimum length is checked afterwards, so that
// each character is visited once.
const PREFIXED_KEY =
  /\b(?:sk|pk|gsk|xai|key|api|nvapi|hf|pplx|fw|csk|AIza)[-_](?<start>[\w-]{4,})(?<masked>[*.…]{2,}[\w-]*)?/gi;
const MIN_KEY_CHARACTERS = 8;
/** Characters of a long secret that nothing else begins with. */
const MIN_BEGINNING = 24;

/** Cleans a provider's error text: cut to a sentence, storable, and without anything that could be a key. */
export function scrub(detail: string, ...secrets: readonly (string | undefined)[]): string {
  const withoutSecret = secrets.reduce<string>(takeOut, detail).slice(0, MAX_SAID_CHARACTERS);
  const withoutPrefixed = withoutSecret.replace(PREFIXED_KEY, (whole, start: string, masked: string | undefined) =>
    start.length >= MIN_KEY_CHARACTERS || masked !== undefined ? '[secret]' : whole,
  );
  const clean = KEY_PATTERNS.reduce((text, pattern) => text.replace(pattern, '[secret]'), withoutPrefixed);
  const line = clean.replace(/\s+/g, ' ').trim();
  return toStorableText(line.length > MAX_DETAIL_CHARACTERS ? `${line.slice(0, MAX_DETAIL_CHARACTERS)}…` : line);
}

function takeOut(detail: string, secret: string | undefined): string {
  if (secret === undefined || secret.length < 4) return detail;
  // A secret that begins within the limit is read to its end; otherwise its first part would be shown.
  const said = detail.slice(0, MAX_SAID_CHARACTERS + secret.length).replaceAll(secret, '[secret]');
  // A secret that was cut before it came here is recognized by its beginning.
  const begun = secret.length > 2 * MIN_BEGINNING ? said.indexOf(secret.slice(0, MIN_BEGINNING)) : -1;
  return begun < 0 ? said : `${said.slice(0, begun)}[secret]`;
}
