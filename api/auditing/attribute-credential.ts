import { type Credential, verifyBearer } from '../access/bearer.ts';
import { publicPartOf } from '../access/token-value.ts';
import type { SessionTokens } from '../access/tokens.ts';

/** The session or the API key that an invalid credential names. */
interface CredentialOrigin {
  /** The session of a token that we have signed; it may have ended. */
  readonly sessionId: string | undefined;
  /** The public part of something like an API key; nobody has checked the rest. */
  readonly apiKeyPublicId: string | undefined;
}

const NO_ORIGIN: CredentialOrigin = { sessionId: undefined, apiKeyPublicId: undefined };

/** Attributes an invalid credential to its owner, as far as it names one. */
export async function attributeCredential(tokens: SessionTokens, credential: Credential): Promise<CredentialOrigin> {
  return (await verifyBearer(credential, async (token) => attributeToken(tokens, token))) ?? NO_ORIGIN;
}

async function attributeToken(tokens: SessionTokens, token: string): Promise<CredentialOrigin> {
  const apiKeyPublicId = publicPartOf('et_key', token);
  const claims = apiKeyPublicId === undefined ? await tokens.read('access', token) : undefined;
  return { sessionId: claims?.sessionId, apiKeyPublicId };
}
