import type { GoogleServiceAccount } from '../../domain/core/google-service-account.ts';

/** What a service account asks for. */
interface AssertedRequest {
  /** The token endpoint, for which alone the assertion is good. */
  readonly audience: string;
  /** Such as `https://www.googleapis.com/auth/cloud-platform`. */
  readonly scopes: readonly string[];
  /** The user in whose name it works; itself unless given. */
  readonly subject?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The longest that Google takes an assertion for, and gives a token for. */
export const GOOGLE_LIFETIME_SECONDS = 3_600;

/**
 * Returns the form with which a service account of Google asks for an access token: a signed JSON Web Token (RFC 7523).
 * Undefined when nothing can be signed with its private key.
 */
export async function googleAssertionForm(
  { clientEmail, privateKey, privateKeyId: kid }: GoogleServiceAccount,
  { audience, scopes, subject, now }: AssertedRequest,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { importPKCS8, SignJWT } = await import('jose');
  const issuedAt = Math.floor(now / 1_000);
  const claims = { scope: scopes.join(' '), ...(subject !== undefined && { sub: subject }) };
  try {
    const key = await importPKCS8(privateKey, 'RS256');
    const assertion = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(kid !== undefined && { kid }) })
      .setIssuer(clientEmail)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + GOOGLE_LIFETIME_SECONDS)
      .sign(key);
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  } catch {
    // The library's error may quote the key.
    return undefined;
  }
}
