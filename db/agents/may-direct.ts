import { cannotDirect, findWithheld } from '../../domain/agents.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { Policy } from '../../domain/permissions/policy.ts';
import { shownBy } from '../../domain/permissions/restrict.ts';
import type { TenantDatabase } from '../core/database.ts';

/** What instructs agents, as a condition on an agent `a` that uses one of `$2`: ids or keys. */
const USES = {
  agent: 'a.id = any($2::uuid[])',
  persona: 'a.persona_id = any($2::uuid[])',
  skill: 'jsonb_exists_any(a.skills, $2)',
  tool: 'jsonb_exists_any(a.tools, $2)',
  mcp_server: `exists (select from jsonb_array_elements(a.mcps) m (item)
    where m.item ->> 'id' = any($2))`,
} as const;

/** The records that instruct agents. */
export interface UsedRecords {
  readonly by: keyof typeof USES;
  /** Ids or keys. */
  readonly names: readonly string[];
}

interface Director {
  readonly orgId: string;
  /** Null for somebody who is no member, and directs no agent. */
  readonly policy: Policy | null;
  /** An agent that works with them, and may know of them whatever its policy shows. */
  readonly knownAgentId?: string;
}

interface UsingAgent {
  readonly id: string;
  readonly name: string;
  readonly tools: readonly string[];
  readonly skills: readonly string[];
}

// A key of the skills gives the tool of the same name where that is `agent_spawn`.
function statementFor(by: UsedRecords['by']): string {
  return `select a.id, a.name, a.tools, a.skills from agents a
    where a.org_id = $1 and a.deleted_at is null and ${USES[by]} and (
      $3::text[] is not null and exists (select from jsonb_array_elements_text(a.tools || a.skills) k (key)
        where k.key <> all($3) and (k.key = 'agent_spawn' or jsonb_exists(a.tools, k.key)))
      or $4::text[] is not null and exists (select from jsonb_array_elements_text(a.skills) k (key) where k.key <> all($4))
    ) order by a.id limit 1`;
}

/**
 * Rejects changing a record that instructs agents, unless the caller could give each of them all that it has. Somebody
 * who may not give an agent a tool may not direct it, since it uses the tool for others who may. Names the agent where
 * it is shown to them. Reads nothing for those who may give everything.
 */
export async function requireMayDirect(
  { tenant }: TenantDatabase,
  { orgId, policy, knownAgentId }: Director,
  { by, names }: UsedRecords,
): Promise<void> {
  if (policy === null) throw new AppError('forbidden', 'You are no member of the organization any more');
  if (names.length === 0 || mayDirectAll(policy)) return;
  const { toolKeys, skillKeys } = policy.allowlists;
  const [agent] = await tenant.query<UsingAgent>(orgId, {
    name: `agents-beyond-${by}`,
    text: statementFor(by),
    values: [orgId, names, listOf(toolKeys), listOf(skillKeys)],
  });
  const withheld = agent && findWithheld(policy, agent);
  if (agent === undefined || withheld === undefined) return;
  if (agent.id === knownAgentId || shownBy(policy, 'agents')?.includes(agent.id) !== false)
    throw cannotDirect(withheld, agent.name);
  throw new AppError(
    'forbidden',
    'An agent that you may not see uses it and has access to things that your permission groups do not let you use, so you cannot change its instructions',
  );
}

/** Returns whether a policy lets its user give agents everything, and so direct all of them. */
function mayDirectAll({ allowlists: { toolKeys, skillKeys } }: Policy): boolean {
  return toolKeys === 'all' && skillKeys === 'all';
}

function listOf(keys: 'all' | ReadonlySet<string>): string[] | null {
  return keys === 'all' ? null : [...keys];
}
