import type { NewAuditEntry } from '../../db/audit.ts';
import type { IdentifiedCaller } from '../access/authenticate.ts';
import { type Credential, verifyBearer } from '../access/bearer.ts';
import { publicPartOf, type SessionTokens } from '../access/tokens.ts';

/** The audit log's view of a caller. */
export type AuditedCaller = Pick<AuditEvent, 'actorId' | 'orgId' | 'sessionId' | 'apiKeyId' | 'apiKeyPublicId'>;

/** The statuses that count as a denied attempt. */
export const DENIED: ReadonlySet<number> = new Set([401, 403, 404]);

/** A caller of whom nothing is known. */
export const NOBODY: AuditedCaller = {
  actorId: undefined,
  orgId: undefined,
  sessionId: undefined,
  apiKeyId: undefined,
  apiKeyPublicId: undefined,
};

/** Returns the audit log's view of a caller. */
export function auditedCaller({
  userId,
  orgId,
  sessionId,
  keyId,
}: Pick<IdentifiedCaller, 'userId' | 'orgId' | 'sessionId' | 'keyId'>): AuditedCaller {
  return { ...NOBODY, actorId: userId, orgId: orgId ?? undefined, sessionId, apiKeyId: keyId };
}

/** An event before it becomes an entry of the audit log. */
export type AuditEvent = Omit<NewAuditEntry, 'id' | 'createdAt' | 'attempts'>;

/** Records who did what. Its methods never throw: an entry that cannot be stored now is stored later, or logged. */
export interface AuditTrail {
  /** Records a change; resolves when it is stored, or has taken too long to wait for. */
  changed(event: AuditEvent): Promise<void>;
  /** Records a denial or failure within seconds. In a flood only some are recorded singly. */
  denied(event: AuditEvent): void;
}

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
