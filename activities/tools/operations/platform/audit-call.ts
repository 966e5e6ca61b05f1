import { recordAuditEntries } from '../../../../db/audit/index.ts';
import type { Database } from '../../../../db/core/index.ts';
import { namedFields, namedIds } from '../../../../domain/audit.ts';
import { outerName } from '../../../../domain/core/record-names.ts';
import type { ResourceKey } from '../../../../domain/resources.ts';
import type { AgentCall } from '../agent-call.ts';

interface AuditedChange {
  /** The name of the route that does the same. */
  readonly action: `${ResourceKey}.${string}`;
  readonly recordId: string;
  /** The fields that were given, as for the body of that route. */
  readonly given: object;
  /** Records that are named beside those of the fields. */
  readonly relatedIds?: readonly string[];
}

/** Stands where a request has its address. */
const BY_AGENT = 'agent';

/**
 * Enters in the audit log what an agent has changed in the name of its user: once, however often the call is repeated.
 */
export async function auditCall(
  database: Pick<Database, 'system'>,
  call: Omit<AgentCall, 'policy'>,
  change: AuditedChange,
): Promise<void> {
  const { orgId, userId: actorId, agentId, callId: id } = call;
  const { action, recordId, given, relatedIds = [] } = change;
  const sent = Object.entries(given).filter(([name, value]) => value !== undefined && name !== 'isForeign');
  const body = Object.fromEntries(sent.map(([name, value]) => [outerName(name), value]));
  await recordAuditEntries(database, [
    {
      action,
      recordType: action.slice(0, action.indexOf('.')),
      recordId,
      id,
      createdAt: new Date(),
      actorId,
      orgId,
      relatedIds: [...new Set([agentId, ...relatedIds, ...namedIds(body)])],
      fields: namedFields(body),
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
