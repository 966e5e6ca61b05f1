import type { AuditEvent } from './audit-trail.ts';
import type { IdentifiedCaller } from '../access/authenticate.ts';

/** What the audit log is told of who it was. */
export type AuditedCaller = Pick<AuditEvent, 'actorId' | 'orgId' | 'sessionId' | 'apiKeyId' | 'apiKeyPublicId'>;

/** Statuses with which an attempt is denied. */
export const DENIED: ReadonlySet<number> = new Set([401, 403, 404]);

/** Somebody of whom nothing is known. */
export const NOBODY: AuditedCaller = {
  actorId: undefined,
  orgId: undefined,
  sessionId: undefined,
  apiKeyId: undefined,
  apiKeyPublicId: undefined,
};

/** A caller as the audit log is told of them. */
export function auditedCaller({
  userId,
  orgId,
  sessionId,
  keyId,
}: Pick<IdentifiedCaller, 'userId' | 'orgId' | 'sessionId' | 'keyId'>): AuditedCaller {
  return { ...NOBODY, actorId: userId, orgId: orgId ?? undefined, sessionId, apiKeyId: keyId };
}
