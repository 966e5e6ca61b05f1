import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/core/database.ts';
import type { Role } from '../../domain/permissions/keys.ts';

// Rows that a test of the database begins with, stored without an api. Each function returns the id of what it stored.

/** Stores an organization. */
export async function insertOrg({ system }: Database): Promise<string> {
  const id = randomUUID();
  await system.query("insert into orgs (id, name) values ($1, 'o')", [id]);
  return id;
}

/** Stores a user who is a member of the organizations. */
export async function insertUser(
  { system }: Database,
  orgIds: readonly string[] = [],
  role: Role = 'member',
): Promise<string> {
  const id = randomUUID();
  await system.query('insert into users (id, email) values ($1, $2)', [id, id]);
  await system.query('insert into memberships (org_id, user_id, role) select unnest($1::uuid[]), $2, $3', [
    orgIds,
    id,
    role,
  ]);
  return id;
}

/** Stores the agent "Ada" of an organization. */
export async function insertAgent({ system }: Database, orgId: string): Promise<string> {
  const id = randomUUID();
  await system.query(
    `insert into agents (id, org_id, name, agent_type, temperature, max_tokens, max_subagents, max_concurrency)
     values ($1, $2, 'Ada', 'custom', 0, 1, 9, 9)`,
    [id, orgId],
  );
  return id;
}

/** Stores a chat of a user with an agent. */
export async function insertChat(
  { system }: Database,
  { orgId, userId, agentId }: { readonly orgId: string; readonly userId: string; readonly agentId: string },
): Promise<string> {
  const id = randomUUID();
  await system.query("insert into chats (id, org_id, user_id, agent_id, title) values ($1, $2, $3, $4, 't')", [
    id,
    orgId,
    userId,
    agentId,
  ]);
  return id;
}
