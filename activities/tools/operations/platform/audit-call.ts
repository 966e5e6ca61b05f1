import { recordAuditEntries } from '../../../../db/audit/index.ts';
import type { Database } from '../../../../db/core/index.ts';
import { outerName } from '../../../../domain/core/record-names.ts';

/** A call of a tool that has changed what the audit log tells of. */
interface AuditedCall {
  readonly orgId: string;
  readonly userId: string;
  /** The agent that has made it. */
  readonly agentId: string;
  readonly callId: string;
}

interface AuditedChange {
  /** The name of the route that does the same. */
  readonly action: string;
  readonly recordType: string;
  readonly recordId: string;
  readonly fields: readonly string[];
  /** Records that it names beside that one. */
  readonly relatedIds?: readonly string[];
}

/** Stands where a request has its address. */
const BY_AGENT = 'agent';

/**
 * Enters in the audit log what an agent has changed in the name of its user: once, however often the call is repeated.
 */
export async function auditCall(database: Database, call: AuditedCall, change: AuditedChange): Promise<void> {
  const { orgId, userId: actorId, agentId, callId: id } = call;
  const { fields, relatedIds = [], ...changed } = change;
  await recordAuditEntries(database, [
    {
      ...changed,
      id,
      createdAt: new Date(),
      actorId,
      orgId,
      relatedIds: [...new Set([agentId, ...relatedIds])],
      fields: fields.map(outerName),
      outcome: 'success',
      status: 200,
      ip: BY_AGENT,
      attempts: 1,
      sessionId: undefined,
      apiKeyId: undefined,
      apiKeyPublicId: undefined,
    },
  ]);
}
