import { isSourceNumber } from './core/exact-json.ts';

const SECRET =
  /auth|token|secret|apikey|accesskey|privatekey|signingkey|subscriptionkey|cookie|passw|pwd|credential|signature|session/;

// Names that contain one of these words but are no secrets.
const OPEN =
  /^(?:max|min|num|prompt|completion|input|output|total)?tokens?(?:count|limit|budget)?s?$|^authors?(?:id|name|email)?$|^idempotencykey$/;

/** Returns whether the value under a name (of a header, an argument, a query parameter) is likely to be a secret. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return plain === 'token' || plain === 'key' || (SECRET.test(plain) && !OPEN.test(plain));
}

const MASK = '***';
const MAX_DEPTH = 50;
const QUERY_VALUE = /(?<start>[?&](?<name>[^=&#\s]{1,100})=)[^&#\s]*/g;
const USER_INFO = /(?<scheme>\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^/@\s]+@/gi;
const AUTHORIZATION = /\b(?<scheme>bearer|basic)\s+[\w~+/.=-]{8,}/gi;

/** Returns a call's arguments for display: likely secrets are masked. No truth value is one. */
export function maskSecrets(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return maskObject(args, MAX_DEPTH);
}

/** Arguments that somebody edited as they were displayed, or the location of a secret that was left masked. */
type Unmasked = { readonly args: Readonly<Record<string, unknown>> } | { readonly maskedAt: readonly string[] };

/**
 * Returns arguments that somebody has edited as they were displayed. The secrets are restored only when nothing was
 * changed: with another address or command beside it, the editor could redirect a secret.
 */
export function unmaskSecrets(
  original: Readonly<Record<string, unknown>>,
  edited: Readonly<Record<string, unknown>>,
): Unmasked {
  const shown = maskSecrets(original);
  if (isSame(edited, shown)) return { args: original };
  if (isSame(shown, original)) return { args: edited };
  const maskedAt = findMask(original, edited);
  return maskedAt === undefined ? { args: edited } : { maskedAt };
}

// A mask that the model itself has written at the same position hides nothing.
function findMask(original: unknown, edited: unknown): readonly string[] | undefined {
  if (typeof edited === 'string') return edited.includes(MASK) && edited !== original ? [] : undefined;
  if (typeof edited !== 'object' || edited === null) return undefined;
  for (const [key, value] of Object.entries(edited)) {
    const found = findMask(valueAt(original, key), value);
    if (found !== undefined) return [key, ...found];
  }
  return undefined;
}

// Arguments are JSON: the order of the keys means nothing.
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  const isSameAt = (key: string) => Object.hasOwn(other, key) && isSame(valueAt(one, key), valueAt(other, key));
  return keys.length === Object.keys(other).length && keys.every(isSameAt);
}

function valueAt(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}

function maskObject(object: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(object);
  // Headers may also be a list of names and values.
  const isNamedSecret = entries.some(
    ([key, value]) => /^(?:name|key|header)$/i.test(key) && typeof value === 'string' && isSecretName(value),
  );
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const isSecret = (isSecretName(key) && !isNameOf(key, value)) || (isNamedSecret && key.toLowerCase() === 'value');
      return [key, isSecret && value !== null && typeof value !== 'boolean' ? MASK : maskValue(value, depth - 1)];
    }),
  );
}

// The `key` in a list of headers is a name, not a secret.
function isNameOf(key: string, value: unknown): boolean {
  return key.toLowerCase() === 'key' && typeof value === 'string' && isSecretName(value);
}

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null || isSourceNumber(value)) return value;
  if (depth < 0) return MASK;
  return Array.isArray(value) ? value.map((item) => maskValue(item, depth - 1)) : maskObject(value, depth);
}

function maskText(text: string): string {
  return text
    .replaceAll(USER_INFO, `$<scheme>${MASK}@`)
    .replaceAll(AUTHORIZATION, `$<scheme> ${MASK}`)
    .replaceAll(QUERY_VALUE, (whole, start: string, name: string) => (isSecretName(name) ? `${start}${MASK}` : whole));
}
