import { sign } from 'node:crypto';
import type { GoogleServiceAccount } from '../../../domain/core/google-service-account.ts';

/** What a service account asks for. */
interface AssertedRequest {
  /** The token endpoint, for which alone the assertion is good. */
  readonly audience: string;
  readonly scopes: readonly string[];
  /** The user in whose name it works. */
  readonly subject: string | undefined;
}

const LIFETIME_SECONDS = 600;

/** Returns the form with which a service account asks for an access token: a signed JSON Web Token (RFC 7523). */
export function assertionForm(
  { clientEmail, privateKey, privateKeyId }: GoogleServiceAccount,
  { audience, scopes, subject }: AssertedRequest,
): Readonly<Record<string, string>> {
  const now = Math.floor(Date.now() / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(privateKeyId !== undefined && { kid: privateKeyId }) };
  const claims = {
    iss: clientEmail,
    scope: scopes.join(' '),
    aud: audience,
    iat: now,
    exp: now + LIFETIME_SECONDS,
    ...(subject !== undefined && { sub: subject }),
  };
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
  return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: `${signed}.${signature}` };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
