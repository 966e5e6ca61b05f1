import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';
import type { Listed, Page } from '../core/page.ts';
import { type SealedRow, type SecretBox, SecretColumn } from '../core/secret-box.ts';
import { lockRecord, readRecords, requireRecord } from '../records/records.ts';
import { McpServer } from './mcp-server.entity.ts';

/** The fields of a server that a caller sets. */
export type McpServerFields = Pick<McpServer, 'name' | 'description' | 'url' | 'config' | 'authType' | 'trusted'>;

const THING = 'MCP server';

/** Returns the organization's servers, oldest first. */
export async function listMcpServers(database: Database, orgId: string, page: Page): Promise<Listed<McpServer>> {
  return readRecords(database, orgId, McpServer, { name: 'list-mcp-servers', page });
}

/** Returns the server; `not_found` when there is none. */
export async function getMcpServer(em: EntityManager, id: string): Promise<McpServer> {
  return requireRecord(em, McpServer, THING, { id });
}

/** Returns the server, locked until the transaction has ended; `not_found` when there is none. */
export async function lockMcpServer(em: EntityManager, id: string): Promise<McpServer> {
  return lockRecord(em, McpServer, THING, { id });
}

interface NewMcpServer extends McpServerFields {
  readonly orgId: string;
  readonly ownerId: string | null;
  readonly authValue: string | null;
}

/** The state of a server whose tools were not fetched yet. */
const UNFETCHED = {
  toolCount: 0,
  toolsFetchedAt: null,
  leftOut: [],
  fetchChanges: null,
  changedTools: [],
  fetchError: null,
};

/** Adds a server; its secret is encrypted for this row. */
export function createMcpServer(em: EntityManager, box: SecretBox, { authValue, ...fields }: NewMcpServer): McpServer {
  const id = uuidv7();
  const sealed = sealAuthValue(box, { orgId: fields.orgId, id }, authValue);
  const data = { ...fields, ...UNFETCHED, id, signedInAt: null, authValue: sealed, connection: randomUUID() };
  return em.create(McpServer, data as RequiredEntityData<McpServer>, { persist: true });
}

/** The changes of a server. An `authValue` replaces the stored one, null removes it. */
export type McpServerChanges = Partial<McpServerFields> & { readonly authValue?: string | null };

/**
 * Changes the given fields only. Another address is another server, which is trusted only if the changes say so: the
 * tools of the former one are forgotten. Connections that were made with former settings are not used again.
 */
export async function updateMcpServer(
  em: EntityManager,
  box: SecretBox,
  server: McpServer,
  { authValue, ...changes }: McpServerChanges,
): Promise<McpServer> {
  const { url, config, authType } = server;
  em.assign(server, changes, { mergeObjectProperties: false });
  if (authValue !== undefined) server.authValue = sealAuthValue(box, server, authValue);
  if (server.url !== url) {
    em.assign(server, { ...UNFETCHED, trusted: changes.trusted ?? false });
    await em.execute(`update mcp_servers set tools = '[]', tools_revision = gen_random_uuid() where id = ?`, [
      server.id,
    ]);
  }
  const isSame = isDeepStrictEqual([url, config, authType], [server.url, server.config, server.authType]);
  if (!isSame || authValue !== undefined) server.connection = randomUUID();
  const isSameReceiver =
    server.url === url && authType === server.authType && isDeepStrictEqual(config.oauth, server.config.oauth);
  if (!isSameReceiver) {
    server.signedInAt = null;
    await em.execute('update mcp_servers set granted = null where id = ?', [server.id]);
  }
  return server;
}

/** Deletes a server permanently, with its secret. Agents that name it continue without it. */
export async function deleteMcpServer(em: EntityManager, id: string): Promise<void> {
  const deleted = await em.nativeDelete(McpServer, { id });
  if (deleted === 0) throw notFound(THING);
}

/** Checks that servers exist; `not_found` when one does not. */
export async function requireMcpServers(em: EntityManager, ids: readonly string[]): Promise<void> {
  const different = [...new Set(ids)];
  if (different.length === 0) return;
  if ((await em.count(McpServer, { id: { $in: different } })) < different.length) throw notFound(THING);
}

/** Encrypts the secrets of servers. */
export const mcpServerSecrets = new SecretColumn('mcp_servers');

/** Returns the decrypted secret of a server; null when it has none. Only for the activity that connects to it. */
export function openAuthValue(box: SecretBox, row: SealedRow & { readonly authValue: Buffer | null }): string | null {
  return row.authValue === null ? null : mcpServerSecrets.open(box, row, row.authValue);
}

function sealAuthValue(box: SecretBox, row: SealedRow, authValue: string | null): Buffer | null {
  return authValue === null ? null : mcpServerSecrets.seal(box, row, authValue);
}
