import { createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { keyIdOf } from '../../db/core/secret-box.ts';

const ISSUER = 'everturn';
const ALGORITHM = 'HS256';
export const ACCESS_TOKEN_SECONDS = 60 * 60;
export const REFRESH_TOKEN_SECONDS = 30 * 24 * 60 * 60;
export const PASSWORD_LINK_SECONDS = 24 * 60 * 60;
export const DEVICE_TOKEN_SECONDS = 180 * 24 * 60 * 60;

/** The session that a token belongs to. Roles and organizations are never read from a token. */
interface SessionClaims {
  readonly sessionId: string;
  /** The generation of the session that can be refreshed with the token; refresh tokens only. */
  readonly generation: number;
  /** When the token expires, in seconds of the epoch. */
  readonly expiresAt: number;
}

const claimsSchema = z.object({ sid: z.uuid(), gen: z.int().min(0).default(0), exp: z.int(), iat: z.int() });

type TokenType = 'access' | 'refresh';

/** Makes and reads the tokens of sessions: JSON Web Tokens signed with a key derived from `SECRET_KEY`. */
export class SessionTokens {
  readonly #keys: readonly Uint8Array[];
  /** The id of the key that signs. */
  readonly keyId: string;

  /** @param secretKeys the first one signs, all of them verify. */
  constructor(secretKeys: readonly [string, ...string[]]) {
    this.keyId = keyIdOf(secretKeys[0]);
    this.#keys = secretKeys.map(
      (secret) => new Uint8Array(hkdfSync('sha256', secret, 'everturn', 'session tokens', 32)),
    );
  }

  /** Makes a token; the same session, generation and time give the same one. */
  async issue(
    type: TokenType,
    { sessionId, generation, issuedAt }: { sessionId: string; generation: number; issuedAt: Date },
  ): Promise<string> {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('no key to sign with');
    const seconds = Math.floor(issuedAt.getTime() / 1000);
    return new SignJWT({ sid: sessionId, ...(type === 'refresh' && { gen: generation }) })
      .setProtectedHeader({ alg: ALGORITHM, typ: `${type}+jwt` })
      .setIssuer(ISSUER)
      .setAudience(type)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + (type === 'access' ? ACCESS_TOKEN_SECONDS : REFRESH_TOKEN_SECONDS))
      .sign(key);
  }

  /** Returns the claims of a valid token of this type; `undefined` for any other text. */
  async read(type: TokenType, token: string): Promise<SessionClaims | undefined> {
    const claims = await this.verify(type, token);
    return claims === 'expired' ? undefined : claims;
  }

  /** Verifies a token. Returns `expired` for one that we have signed and that is merely too old. */
  async verify(type: TokenType, token: string): Promise<SessionClaims | 'expired' | undefined> {
    for (const key of this.#keys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: type,
          typ: `${type}+jwt`,
          requiredClaims: ['exp', 'iat', 'sid'],
          maxTokenAge: `${REFRESH_TOKEN_SECONDS}s`,
        });
        const claims = claimsSchema.safeParse(payload);
        if (!claims.success) return undefined;
        return { sessionId: claims.data.sid, generation: claims.data.gen, expiresAt: claims.data.exp };
      } catch (error) {
        // Thrown only for a token whose signature is right.
        if (error instanceof errors.JWTExpired) return 'expired';
        if (!(error instanceof errors.JOSEError) && !(error instanceof TypeError)) throw error;
      }
    }
    return undefined;
  }
}

/** The prefix of a secret value, which says what it is for. */
export type TokenPrefix = 'et_key' | 'et_dev' | 'et_inv' | 'et_pwd' | 'et_web';

/** A new secret value and its stored form. */
interface NewToken {
  readonly value: string;
  readonly publicId: string;
  readonly secretHash: Buffer;
  /** The last four characters of the value, by which people recognize it. */
  readonly hint: string;
}

// After the prefix: 16 hexadecimal digits that find the record, and a secret of 256 bits.
const VALUE = /^(?<prefix>et_[a-z]{3})_(?<publicId>[0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

const HINT_CHARACTERS = 4;

/** Makes a secret value. */
export function newTokenValue(prefix: TokenPrefix): NewToken {
  const publicId = randomBytes(8).toString('hex');
  const value = `${prefix}_${publicId}_${randomBytes(32).toString('base64url')}`;
  return { value, publicId, secretHash: hash(value), hint: value.slice(-HINT_CHARACTERS) };
}

/** Returns the public part of a text in the form of a value with this prefix. */
export function publicPartOf(prefix: TokenPrefix, value: string): string | undefined {
  const groups = VALUE.exec(value)?.groups;
  return groups?.['prefix'] === prefix ? groups['publicId'] : undefined;
}

/** Returns whether `value` is the one whose hash was stored; takes the same time either way. */
export function isTokenValue(value: string, secretHash: Buffer): boolean {
  return timingSafeEqual(hash(value), secretHash);
}

function hash(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
