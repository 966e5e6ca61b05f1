import { isSecretName } from '../../core/secret-names.ts';

const MASK = '***';
const MAX_DEPTH = 50;
const QUERY_VALUE = /(?<start>[?&](?<name>[^=&#\s]{1,100})=)[^&#\s]*/g;
const USER_INFO = /(?<scheme>\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^/@\s]+@/gi;
const AUTHORIZATION = /\b(?<scheme>bearer|basic)\s+[\w~+/.=-]{8,}/gi;

/** Returns a call's arguments for display: likely secrets are masked. */
export function maskSecrets(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return maskObject(args, MAX_DEPTH);
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
      return [key, isSecret && value !== null ? MASK : maskValue(value, depth - 1)];
    }),
  );
}

// The `key` in a list of headers is a name, not a secret.
function isNameOf(key: string, value: unknown): boolean {
  return key.toLowerCase() === 'key' && typeof value === 'string' && isSecretName(value);
}

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth < 0) return MASK;
  return Array.isArray(value) ? value.map((item) => maskValue(item, depth - 1)) : maskObject(value, depth);
}

function maskText(text: string): string {
  return text
    .replaceAll(USER_INFO, `$<scheme>${MASK}@`)
    .replaceAll(AUTHORIZATION, `$<scheme> ${MASK}`)
    .replaceAll(QUERY_VALUE, (whole, start: string, name: string) => (isSecretName(name) ? `${start}${MASK}` : whole));
}
