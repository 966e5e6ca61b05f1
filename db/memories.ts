import { v7 as uuidv7 } from 'uuid';
import { type AppError, limitReached, notFound } from '../domain/core/app-error.ts';
import { MEMORY_DEFAULTS, type MemoryType } from '../domain/memories.ts';
import { type ExpectedVersions, requireVersion } from '../domain/resources.ts';
import { type Listed, type Page, readPage } from './core/page.ts';
import type { TenantDatabase } from './core/database.ts';
import type { Statement } from './core/sql-pool.ts';
import { policyAllows } from '../domain/permissions/policy.ts';
import type { PromptMemory } from '../domain/prompts/system-prompt.ts';
import type { TurnPart } from './turns/claim/turn-parts.ts';

/** The settable fields of a memory. */
interface MemoryFields {
  readonly content: string;
  readonly type: MemoryType;
  readonly tags: readonly string[];
  /** 1 to 5, 5 is the most important. */
  readonly priority: number;
  /** Whether it was created where text from outside had been read, and so may repeat it. */
  readonly isForeign?: boolean;
}

/** The changeable fields of a memory. */
export type MemoryChanges = { readonly [K in keyof MemoryFields]?: MemoryFields[K] | undefined };

/** A memory that is added: fields that are not given get their defaults. */
export type NewMemory = MemoryChanges & Pick<MemoryFields, 'content'>;

/** A memory that an agent keeps from one conversation to the next. */
export interface Memory extends MemoryFields {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The owner of memories: one agent of the organization. */
interface MemoryOwner {
  readonly orgId: string;
  readonly agentId: string;
}

interface MemoryFilter {
  readonly type?: MemoryType | undefined;
  /** All of them. */
  readonly tags?: readonly string[] | undefined;
}

interface MemoryPage extends MemoryFilter, Page {}

/** Limits on an agent's memories and their bytes, so that a search of all of them stays fast. */
const MAX_MEMORIES = 2_000;
const MAX_MEMORY_BYTES = 4_000_000;
const MAX_SEARCH_MS = 2_000;

const MEMORY = `m.id, m.content, m.type, m.tags, m.priority, m.is_foreign as "isForeign", m.created_at as "createdAt", m.updated_at as "updatedAt"`;
const LIVE_AGENT = 'select id from agents where id = $1 and deleted_at is null';
const OF_AGENT = `m.agent_id = $1
  and exists (${LIVE_AGENT}) and ($2::text is null or m.type = $2) and m.tags @> $3::jsonb`;

/** Returns the agent's memories, oldest first; `not_found` when there is no such agent. */
export async function listMemories(
  { tenant }: TenantDatabase,
  { orgId, agentId }: MemoryOwner,
  page: MemoryPage,
): Promise<Listed<Memory>> {
  const live: Statement = { name: 'live-agent', text: LIVE_AGENT, values: [agentId] };
  const read = async (statement: Statement) => {
    const [agents, rows] = await tenant.series(orgId, [live, statement]);
    if (agents?.length !== 1) throw notFound('Agent');
    return rows ?? [];
  };
  return readPage<Memory>(read, {
    name: 'list-memories',
    columns: MEMORY,
    bytes: `300 + octet_length(m.content) + octet_length(m.tags::text)`,
    source: `from agent_memories m where ${OF_AGENT}`,
    order: 'm.created_at, m.id',
    values: [agentId, page.type ?? null, JSON.stringify(page.tags ?? [])],
    page,
  });
}

/** Returns the memory; `not_found` when the agent has no such memory. */
export async function getMemory(
  { tenant }: TenantDatabase,
  { orgId, agentId }: MemoryOwner,
  id: string,
): Promise<Memory> {
  const [memory] = await tenant.query<Memory>(orgId, {
    name: 'get-memory',
    text: `select ${MEMORY} from agent_memories m where m.id = $2 and m.agent_id = $1 and exists (${LIVE_AGENT})`,
    values: [agentId, id],
  });
  if (memory === undefined) throw await missing({ tenant }, { orgId, agentId });
  return memory;
}

/**
 * Returns the agent's memories with most of the words, then the most important, then the newest. Reads all of them,
 * which are few (`MAX_MEMORY_BYTES`): row-level security lets no text index serve a search. Times out after two
 * seconds.
 */
export async function searchMemories(
  { tenant }: TenantDatabase,
  { orgId, agentId }: MemoryOwner,
  search: MemoryFilter & { readonly words: readonly string[]; readonly limit: number },
): Promise<Memory[]> {
  const found: Statement<Memory> = {
    name: 'search-memories',
    text: SEARCH,
    values: [agentId, search.type ?? null, JSON.stringify(search.tags ?? []), search.words, search.limit],
  };
  const [, memories] = await tenant.series(orgId, [
    { name: 'limit-search', text: `set statement_timeout = ${MAX_SEARCH_MS}`, values: [] },
    found,
    { name: 'end-search', text: 'reset statement_timeout', values: [] },
  ]);
  return memories;
}

// The text is lower-cased once for all words: `offset 0` keeps the planner from doing it for each.
const SEARCH = `select ${MEMORY} from (
    select m.*, (select count(*) from unnest(words.list) word where position(word in searched.text) > 0) as hits
    from agent_memories m
      cross join (select array_agg(lower(word)) as list from unnest($4::text[]) word) words
      cross join lateral (select lower(m.content || ' ' || (m.tags #>> '{}')) as text offset 0) searched
    where ${OF_AGENT}
  ) m where hits > 0 order by hits desc, priority desc, m.created_at desc, m.id desc limit $5`;

/**
 * Adds a memory, under the caller's id or a new one; the same id again adds nothing and returns the stored one.
 * `conflict` when the agent has reached its limit.
 */
export async function addMemory(
  { tenant }: TenantDatabase,
  { orgId, agentId }: MemoryOwner,
  fields: NewMemory,
  id: string = uuidv7(),
): Promise<Memory> {
  const added: Statement<Memory | { readonly id: null }> = {
    name: 'added-memory',
    text: `select ${MEMORY} from (${LIVE_AGENT}) a left join agent_memories m on m.agent_id = a.id and m.id = $2`,
    values: [agentId, id],
  };
  const [, [state]] = await tenant.series(orgId, [insertMemory({ orgId, agentId }, fields, id), added]);
  if (state === undefined) throw notFound('Agent');
  if (state.id !== null) return state;
  throw isFull();
}

function insertMemory({ orgId, agentId }: MemoryOwner, fields: NewMemory, id: string): Statement {
  const { content, isForeign = false } = fields;
  const { type = MEMORY_DEFAULTS.type, tags = MEMORY_DEFAULTS.tags, priority = MEMORY_DEFAULTS.priority } = fields;
  return {
    name: 'add-memory',
    text: `insert into agent_memories (id, org_id, agent_id, content, type, tags, priority, is_foreign)
      select $2, $3, a.id, $4, $5, $6::jsonb, $7, $8 from (${LIVE_AGENT}) a
      where (
        select count(*) < ${MAX_MEMORIES} and coalesce(sum(octet_length(content)), 0) + octet_length($4) <= ${MAX_MEMORY_BYTES}
        from agent_memories where agent_id = $1
      )
      on conflict (id) do nothing`,
    values: [agentId, id, orgId, content, type, JSON.stringify(tags), priority, isForeign],
  };
}

/**
 * Changes the given fields only; `not_found` when the agent has no such memory, `precondition_failed` when it has
 * another version than is expected.
 */
export async function updateMemory(
  { tenant }: TenantDatabase,
  { orgId, agentId }: MemoryOwner,
  id: string,
  changes: MemoryChanges & { readonly expectedVersions?: ExpectedVersions },
): Promise<Memory> {
  const { content = null, type = null, tags, priority = null, isForeign = false, expectedVersions = null } = changes;
  const rows = await tenant.query<Memory>(orgId, {
    name: 'update-memory',
    text: `update agent_memories m set content = coalesce($3::text, content), type = coalesce($4::text, type),
        tags = coalesce($5::jsonb, tags), priority = coalesce($6::int, priority), is_foreign = is_foreign or $7,
        updated_at = case when num_nonnulls($3, $4, $5, $6) = 0 then updated_at else now() end
      where m.id = $2 and m.agent_id = $1 and exists (${LIVE_AGENT})
        and ($8::timestamptz[] is null or date_trunc('milliseconds', m.updated_at) = any($8))
        and ($3::text is null or octet_length($3) <= octet_length(content) or octet_length($3) + (
          select coalesce(sum(octet_length(o.content)), 0) from agent_memories o where o.agent_id = $1 and o.id <> $2
        ) <= ${MAX_MEMORY_BYTES})
      returning ${MEMORY}`,
    values: [
      agentId,
      id,
      content,
      type,
      tags === undefined ? null : JSON.stringify(tags),
      priority,
      isForeign,
      expectedVersions,
    ],
  });
  const [memory] = rows;
  if (memory !== undefined) return memory;
  await requireLive({ tenant }, { orgId, agentId }, id, changes.expectedVersions);
  throw isFull();
}

/**
 * Deletes a memory for good; `not_found` when the agent has no such memory, `precondition_failed` when it has another
 * version than is expected.
 */
export async function deleteMemory(
  { tenant }: TenantDatabase,
  { orgId, agentId }: MemoryOwner,
  id: string,
  expected?: ExpectedVersions,
): Promise<void> {
  const rows = await tenant.query(orgId, {
    name: 'delete-memory',
    text: `delete from agent_memories where id = $2 and agent_id = $1 and exists (${LIVE_AGENT})
      and ($3::timestamptz[] is null or date_trunc('milliseconds', updated_at) = any($3)) returning id`,
    values: [agentId, id, expected ?? null],
  });
  if (rows.length === 0) await requireLive({ tenant }, { orgId, agentId }, id, expected);
}

// Throws `not_found` when there is no such memory, and `precondition_failed` when it has another version.
async function requireLive(
  { tenant }: TenantDatabase,
  { orgId, agentId }: MemoryOwner,
  id: string,
  expected: ExpectedVersions,
): Promise<void> {
  const [present] = await tenant.query<Pick<Memory, 'updatedAt'>>(orgId, {
    name: 'live-memory',
    text: `select updated_at as "updatedAt" from agent_memories where id = $2 and agent_id = $1 and exists (${LIVE_AGENT})`,
    values: [agentId, id],
  });
  if (present === undefined) throw await missing({ tenant }, { orgId, agentId });
  requireVersion(present, expected);
}

function isFull(): AppError {
  return limitReached(`memories of ${MAX_MEMORY_BYTES.toLocaleString('en')} bytes in all`, MAX_MEMORIES, {
    whose: 'agent',
  });
}

// Throws `not_found` for the agent or the memory, whichever is missing.
async function missing({ tenant }: TenantDatabase, { orgId, agentId }: MemoryOwner): Promise<AppError> {
  const agents = await tenant.query(orgId, { name: 'live-agent', text: LIVE_AGENT, values: [agentId] });
  return notFound(agents.length === 0 ? 'Agent' : 'Memory');
}

/** No more rows are read: shorter ones than these would leave no words. */
const MAX_SHOWN = 100;
/** The characters that a prompt has for them (domain/prompts), and the index `agent_memories_prompt`. */
const MAX_CHARACTERS = 4_000;

const RANK = `(case type when 'instruction' then 0 when 'fact' then 1 when 'context' then 2 else 3 end)`;
const ORDER = 'rank, priority desc, created_at desc, id desc';

/** The memories in the prompt, where the user may see those of agents. */
export const memoriesForTurn: TurnPart<PromptMemory, readonly PromptMemory[]> = {
  text: promptMemoriesOf('c.agent_id'),
  of: (memories, { policy }) => (policy !== null && policyAllows(policy, 'memory.view') ? memories : []),
};

/**
 * Returns the statement that reads the memories of an agent's prompt: instructions first, each kind by priority, then
 * the newest first. Those that may repeat text from outside are left out, since a prompt has no marks around them, and
 * so are those that are too long: `memory_manage` finds them. It reads an index of the same order and condition.
 */
function promptMemoriesOf(agentId: string): string {
  return `select type, content from (
      select *, sum(length(content)) over (order by ${ORDER}) - length(content) as before from (
        select type, content, ${RANK} as rank, priority, created_at, id from agent_memories
        where agent_id = ${agentId} and not is_foreign and length(content) <= ${MAX_CHARACTERS}
        order by ${RANK}, priority desc, created_at desc, id desc limit ${MAX_SHOWN}
      ) first
    ) shown where before < ${MAX_CHARACTERS} order by ${ORDER}`;
}

/** Returns the memories in an agent's prompt. */
export async function listPromptMemories(
  { tenant }: TenantDatabase,
  { orgId, agentId }: MemoryOwner,
): Promise<readonly PromptMemory[]> {
  return tenant.query<PromptMemory>(orgId, {
    name: 'list-prompt-memories',
    text: promptMemoriesOf('$1::uuid'),
    values: [agentId],
  });
}
