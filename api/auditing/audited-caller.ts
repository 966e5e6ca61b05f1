import type { AuditEvent } from './audit-trail.ts';
import type { IdentifiedCaller } from '../access/authenticate.ts';

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
