import { allowedIds, type Policy } from '../../domain/permissions/index.ts';
import { describeCandidates } from '../../domain/prompts/index.ts';
import { listSubAgentCandidates } from '../agents/index.ts';
import type { Database } from '../core/index.ts';
import { listModelTags } from '../model-profiles/index.ts';

/** Writes the part of an agent's prompt about delegation; '' when there is nobody whom it can delegate to. */
export async function readDelegationPart(
  database: Database,
  { orgId, agentId }: { readonly orgId: string; readonly agentId: string },
  policy: Policy | null,
): Promise<string> {
  const onlyIds = allowedIds(policy, 'agentIds');
  const [candidates, modelTags] = await Promise.all([
    listSubAgentCandidates(database, orgId, { exceptId: agentId, onlyIds }),
    listModelTags(database, orgId),
  ]);
  return describeCandidates(candidates, modelTags);
}
