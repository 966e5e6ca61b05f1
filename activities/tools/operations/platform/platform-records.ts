import { getAgent } from '../../../../db/agents/index.ts';
import { withOrgTransaction } from '../../../../db/core/index.ts';
import { readMemberUsage } from '../../../../db/permissions/index.ts';
import { AppError, notFound } from '../../../../domain/core/app-error.ts';
import { policyAllows } from '../../../../domain/permissions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/passing-error.ts';
import type { InspectedRecord, PlatformKind, PlatformRecords } from '../../context.ts';
import { inToolTerms } from '../in-tool-terms.ts';
import { KINDS, type Looking } from './inspected-kinds.ts';

/** Returns what a user may see of the platform for a tool, until the signal aborts. */
export function platformRecords(looking: Looking, signal: AbortSignal): PlatformRecords {
  const { database, orgId, userId, policy } = looking;
  const run = async <T>(work: () => Promise<T>) => inToolTerms(() => retryWhileDatabaseUnavailable(signal, work));
  const list = async (kind: PlatformKind) => {
    const { permission, list: read } = KINDS[kind];
    if (policy !== null && policyAllows(policy, permission)) return read(looking);
    throw new AppError('forbidden', `The user whom you work for lacks the permission ${permission} that this needs`);
  };
  return {
    list: async (kind) => run(async () => list(kind)),
    get: async (kind, id) =>
      run(async () => {
        const record = (await list(kind)).find((each) => each.id === id);
        if (record === undefined) throw notFound(`A record of the kind ${kind} with this id`);
        return kind === 'agents' ? { ...record, ...(await toldTo(looking, id)) } : record;
      }),
    usage: async () =>
      run(async () => {
        if (policy === null) throw new AppError('forbidden', 'The user whom you work for is no member any more');
        const { budgets, runningAgents } = await readMemberUsage(database, { orgId, userId }, policy.limits.budgets);
        return {
          running_agents: runningAgents,
          budgets: budgets.map(({ tokens, windowHours, usedTokens, freeAt }) => ({
            tokens,
            window_hours: windowHours,
            used_tokens: usedTokens,
            free_at: freeAt,
          })),
        };
      }),
  };
}

// What only a single agent shows.
async function toldTo({ database, orgId }: Looking, id: string): Promise<Omit<InspectedRecord, 'id' | 'name'>> {
  const agent = await withOrgTransaction(database, orgId, async (em) => getAgent(em, id));
  return {
    description: agent.description,
    system_prompt: agent.systemPrompt,
    persona_id: agent.personaId,
    requires_approval: agent.requiresApproval,
    model_pref: agent.modelPref,
    provider_chain_id: agent.providerChainId,
    temperature: agent.temperature,
    max_tokens: agent.maxTokens,
  };
}
