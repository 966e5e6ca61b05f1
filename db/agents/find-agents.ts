import type { Database } from '../core/database.ts';

/** Returns what live agents of the organization are called, by their ids. */
export async function findAgentNames(
  { tenant }: Database,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tenant.query<{ id: string; name: string }>(orgId, {
    name: 'agent-names',
    text: 'select id, name from agents where id = any($1::uuid[]) and deleted_at is null',
    values: [ids],
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** An agent that work can be delegated to. */
export interface SubAgentCandidate {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly isActive: boolean;
}

const COLUMNS = 'id, name, description, is_active as "isActive"';
const MAX_LISTED = 50;

interface CandidateFilter {
  readonly exceptId: string;
  /** Absent when all may be listed. */
  readonly onlyIds: readonly string[] | undefined;
}

/** Returns the organization's matching active agents, oldest first, at most 50. */
export async function listSubAgentCandidates(
  { tenant }: Database,
  orgId: string,
  { exceptId, onlyIds }: CandidateFilter,
): Promise<SubAgentCandidate[]> {
  return tenant.query<SubAgentCandidate>(orgId, {
    name: 'list-sub-agent-candidates',
    text: `select ${COLUMNS} from agents
      where org_id = $1 and id <> $2 and is_active and deleted_at is null and ($3::uuid[] is null or id = any($3)) order by id limit ${MAX_LISTED}`,
    values: [orgId, exceptId, onlyIds ?? null],
  });
}

/** Returns the organization's agents with one of these ids or names, ignoring case; deleted ones are left out. */
export async function findSubAgentCandidates(
  { tenant }: Database,
  orgId: string,
  named: readonly string[],
): Promise<SubAgentCandidate[]> {
  return tenant.query<SubAgentCandidate>(orgId, {
    name: 'find-sub-agent-candidates',
    text: `select ${COLUMNS} from agents
      where org_id = $1 and deleted_at is null and (id::text = any($2) or lower(name) = any($2)) order by id limit 200`,
    values: [orgId, named.map((each) => each.trim().toLowerCase())],
  });
}

/** An agent as clients of the chat completions name it. */
export interface ChatModel {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: Date;
  /** Whether another one has the name, so that it names none. */
  readonly isNameShared: boolean;
}

/** Narrows the agents to those that a policy allows; absent when all are. */
interface AllowedAgents {
  readonly allowedIds: readonly string[] | undefined;
}

/** As many as a list of models has. */
const MAX_MODELS = 1_000;

/** Characters of a description, which lists cut. */
const MAX_DESCRIPTION = 300;

const MODELS = `select id, name, left(description, ${MAX_DESCRIPTION}) as description, created_at as "createdAt", count(*) over (partition by name) > 1 as "isNameShared"
  from agents where org_id = $1 and deleted_at is null and is_active and ($2::uuid[] is null or id = any($2))`;

/** Returns the active agents that a member may write to, by name. */
export async function listChatModels(
  { tenant }: Database,
  orgId: string,
  { allowedIds }: AllowedAgents,
): Promise<readonly ChatModel[]> {
  return tenant.query<ChatModel>(orgId, {
    name: 'chat-models',
    text: `${MODELS} order by name, id limit ${MAX_MODELS}`,
    values: [orgId, allowedIds ?? null],
  });
}

/** Returns the active agent with an id, or the only one with a name; undefined when there is none. */
export async function findChatModel(
  { tenant }: Database,
  orgId: string,
  { model, allowedIds }: AllowedAgents & { readonly model: string },
): Promise<ChatModel | undefined> {
  const [found] = await tenant.query<ChatModel>(orgId, {
    name: 'chat-model',
    text: `select * from (${MODELS}) m where m.id::text = lower($3) or (m.name = $3 and not m."isNameShared")
      order by m.id::text = lower($3) desc limit 1`,
    values: [orgId, allowedIds ?? null, model],
  });
  return found;
}

/** An agent as agents of other platforms see it. */
export interface PublishedAgent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly updatedAt: Date;
  /** The name of its organization. */
  readonly orgName: string;
}

/** Whether agents of other platforms reach an agent, in SQL. */
export const isPublished = (agent: string) =>
  `${agent}.is_published and ${agent}.is_active and ${agent}.deleted_at is null`;

const PUBLISHED = `select a.id, a.name, a.description, a.updated_at as "updatedAt", o.name as "orgName"
  from agents a join orgs o on o.id = a.org_id and o.deleted_at is null
  where a.id = $1 and ($2::uuid is null or a.org_id = $2) and ${isPublished('a')}`;

/** Returns a published agent of the organization, or of any organization where none is given. */
export async function findPublishedAgent(
  { system, tenant }: Database,
  id: string,
  orgId?: string,
): Promise<PublishedAgent | undefined> {
  const statement = { name: 'published-agent', text: PUBLISHED, values: [id, orgId ?? null] };
  const rows =
    orgId === undefined
      ? (await system.query<PublishedAgent>(statement)).rows
      : await tenant.query<PublishedAgent>(orgId, statement);
  return rows[0];
}
