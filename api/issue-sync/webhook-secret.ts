const SIGNING_PREFIX = 'whsec_';
/** What is shorter can be guessed. */
const MIN_KEY_BYTES = 16;

/**
 * Returns the key that a webhook secret is by the Standard Webhooks specification: behind its prefix it is written in
 * base64. Undefined when that key is too short to sign with; any other secret is the key itself.
 */
export function signingKeyOf(secret: string): Buffer | string | undefined {
  if (!secret.startsWith(SIGNING_PREFIX)) return secret;
  const key = Buffer.from(secret.slice(SIGNING_PREFIX.length), 'base64');
  return key.length < MIN_KEY_BYTES ? undefined : key;
}
