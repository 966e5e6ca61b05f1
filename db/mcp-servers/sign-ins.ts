import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../core/database.ts';
import { type SecretBox, SecretColumn } from '../core/secret-box.ts';
import { purgeRows } from '../records/records.ts';
import type { ServerRef } from './tool-lists.ts';

/** A person who signs in at the authorization server of an MCP server. */
export interface SignInOwner {
  readonly orgId: string;
  readonly serverId: string;
  readonly userId: string;
}

/** A sign-in under way. */
export interface McpSignIn extends SignInOwner {
  readonly id: string;
  /** The connection that it was begun for: with other settings of the server it is worth nothing. */
  readonly connection: string;
  readonly redirectUrl: string;
  readonly sealed: Buffer | null;
  /** Why it failed, in words for the person. */
  readonly error: string | null;
}

interface SignInRef {
  readonly orgId: string;
  readonly signInId: string;
}

/** Encrypts the state of sign-ins at servers. */
export const mcpSignInSecrets = new SecretColumn('mcp_sign_ins');
/** Encrypts what was granted for servers. */
export const mcpGrants = new SecretColumn('mcp_servers', 'granted');

const COLUMNS = `id, org_id as "orgId", server_id as "serverId", user_id as "userId", connection, redirect_url as "redirectUrl",
  sealed, error`;

/** Begins a sign-in, which replaces an earlier one of the same person at the same server. Returns its id. */
export async function beginMcpSignIn(
  { tenant }: Database,
  { orgId, serverId, userId }: SignInOwner,
  redirectUrl: string,
): Promise<string> {
  const id = uuidv7();
  await tenant.query(orgId, {
    name: 'begin-mcp-sign-in',
    text: `with gone as (
        delete from mcp_sign_ins where org_id = $2 and server_id = $3 and user_id = $4
      )
      insert into mcp_sign_ins (id, org_id, server_id, user_id, connection, redirect_url)
      select $1, $2, s.id, $4, s.connection, $5 from mcp_servers s where s.org_id = $2 and s.id = $3`,
    values: [id, orgId, serverId, userId, redirectUrl],
  });
  return id;
}

/** Returns a sign-in that has not expired. */
export async function findMcpSignIn(
  { tenant }: Database,
  { orgId, signInId }: SignInRef,
): Promise<McpSignIn | undefined> {
  const [row] = await tenant.query<McpSignIn>(orgId, {
    name: 'find-mcp-sign-in',
    text: `select ${COLUMNS} from mcp_sign_ins where org_id = $1 and id = $2 and expires_at > now()`,
    values: [orgId, signInId],
  });
  return row;
}

/** Stores the challenge of a sign-in, and the state by which its answer is recognised. */
export async function storeMcpChallenge(
  { tenant }: Database,
  { orgId, signInId }: SignInRef,
  { state, sealed }: { readonly state: string; readonly sealed: Buffer },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-mcp-challenge',
    text: 'update mcp_sign_ins set state_digest = $3, sealed = $4 where org_id = $1 and id = $2',
    values: [orgId, signInId, digestOf(state), sealed],
  });
}

/** Consumes the sign-in that a state belongs to, for the person who began it only. */
export async function takeMcpAnswer(
  { tenant }: Database,
  { orgId, serverId, userId }: SignInOwner,
  state: string,
): Promise<McpSignIn | undefined> {
  const [row] = await tenant.query<McpSignIn>(orgId, {
    name: 'take-mcp-answer',
    text: `update mcp_sign_ins set state_digest = null
      where org_id = $1 and server_id = $2 and user_id = $3 and state_digest = $4 and expires_at > now()
      returning ${COLUMNS}`,
    values: [orgId, serverId, userId, digestOf(state)],
  });
  return row;
}

/** Replaces the challenge of a sign-in by its answer. */
export async function storeMcpAnswer(
  { tenant }: Database,
  { orgId, signInId }: SignInRef,
  sealed: Buffer,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-mcp-answer',
    text: 'update mcp_sign_ins set sealed = $3 where org_id = $1 and id = $2',
    values: [orgId, signInId, sealed],
  });
}

/** Records why a sign-in failed. */
export async function failMcpSignIn(
  { tenant }: Database,
  { orgId, signInId }: SignInRef,
  error: string,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'fail-mcp-sign-in',
    text: 'update mcp_sign_ins set error = $3, sealed = null, state_digest = null where org_id = $1 and id = $2',
    values: [orgId, signInId, error],
  });
}

/**
 * Ends a sign-in with what was granted, unless the server has been changed since, or it was reported to the person as
 * failed. Returns whether it was stored: open sessions are not used again then.
 */
export async function grantToMcpServer({ tenant }: Database, signIn: McpSignIn, granted: Buffer): Promise<boolean> {
  const rows = await tenant.query<{ id: string }>(signIn.orgId, {
    name: 'grant-to-mcp-server',
    text: `with ended as (delete from mcp_sign_ins where org_id = $1 and id = $2 and error is null returning id)
      update mcp_servers set granted = $5, signed_in_at = now(), connection = gen_random_uuid()
      where org_id = $1 and id = $3 and connection = $4 and exists (select from ended) returning id`,
    values: [signIn.orgId, signIn.id, signIn.serverId, signIn.connection, granted],
  });
  return rows.length > 0;
}

/** Removes sign-ins that have expired, with what is sealed in them. */
export async function purgeMcpSignIns(database: Pick<Database, 'system'>): Promise<void> {
  await purgeRows(database, 'mcp_sign_ins', 'expires_at < now()');
}

/** Returns what was granted for a server, as stored. */
export async function readGrant({ tenant }: Database, { orgId, serverId }: ServerRef): Promise<Buffer | null> {
  const [row] = await tenant.query<{ granted: Buffer | null }>(orgId, {
    name: 'read-mcp-grant',
    text: 'select granted from mcp_servers where org_id = $1 and id = $2',
    values: [orgId, serverId],
  });
  return row?.granted ?? null;
}

/**
 * Replaces the grant of a server, unless another process has done so in the meantime. Returns the stored grant;
 * undefined when it was not replaced.
 */
export async function replaceGrant(
  database: Database,
  box: SecretBox,
  { orgId, serverId }: ServerRef,
  { former, value }: { readonly former: Buffer; readonly value: unknown },
): Promise<Buffer | undefined> {
  const granted = sealGrant(box, { orgId, serverId }, value);
  const isReplaced = await mcpGrants.replace(box, { orgId, id: serverId }, former, {
    read: async () => readGrant(database, { orgId, serverId }),
    write: async (stored) => {
      const rows = await database.tenant.query<{ id: string }>(orgId, {
        name: 'replace-mcp-grant',
        text: 'update mcp_servers set granted = $4 where org_id = $1 and id = $2 and granted = $3 returning id',
        values: [orgId, serverId, stored, granted],
      });
      return rows.length > 0;
    },
  });
  return isReplaced ? granted : undefined;
}

/** Encrypts the JSON of a value for a sign-in. */
export function sealSignIn(box: SecretBox, row: Pick<McpSignIn, 'orgId' | 'id'>, value: unknown): Buffer {
  return mcpSignInSecrets.seal(box, row, JSON.stringify(value));
}

/** Returns the value that was encrypted for a sign-in; undefined when there is none. */
export function openSignIn(box: SecretBox, row: Pick<McpSignIn, 'orgId' | 'id' | 'sealed'>): unknown {
  return row.sealed === null ? undefined : JSON.parse(mcpSignInSecrets.open(box, row, row.sealed));
}

/** Encrypts the JSON of what was granted for a server. */
export function sealGrant(box: SecretBox, { orgId, serverId }: ServerRef, value: unknown): Buffer {
  return mcpGrants.seal(box, { orgId, id: serverId }, JSON.stringify(value));
}

/** Returns what was granted for a server. */
export function openGrant(box: SecretBox, { orgId, serverId }: ServerRef, granted: Buffer): unknown {
  return JSON.parse(mcpGrants.open(box, { orgId, id: serverId }, granted));
}

/** Returns whether the same was granted, however it is encrypted. */
export function isSameGrant(box: SecretBox, { orgId, serverId }: ServerRef, one: Buffer, other: Buffer): boolean {
  return mcpGrants.isSame(box, { orgId, id: serverId }, one, other);
}

function digestOf(state: string): Buffer {
  return createHash('sha256').update(state).digest();
}
