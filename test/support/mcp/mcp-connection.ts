import { randomUUID } from 'node:crypto';
import type { McpConnection } from '../../../db/mcp-servers/for-turn.ts';
import type { Database } from '../../../db/core/database.ts';
import type { SecretBox } from '../../../db/core/secret-box.ts';
import type { McpAuthType } from '../../../domain/mcp-servers.ts';

/** Stands for the database where a session reads nothing from one. */
export const NO_DATABASE = {} as Database;

interface ConnectionFields extends Partial<Pick<McpConnection, 'orgId' | 'id' | 'config'>> {
  readonly auth?: readonly [type: McpAuthType, value: string];
}

/** Makes what a session is opened with, as if it came from the row of a server. */
export function mcpConnection(box: SecretBox, url: string, { auth, ...fields }: ConnectionFields = {}): McpConnection {
  const [orgId, id] = [fields.orgId ?? randomUUID(), fields.id ?? randomUUID()];
  const [authType, value] = auth ?? ['none', undefined];
  return {
    id,
    orgId,
    name: 'Test server',
    url,
    config: fields.config ?? {},
    authType,
    authValue: value === undefined ? null : box.seal(value, `mcp_servers/${orgId}/${id}`),
    granted: null,
    connection: randomUUID(),
    revision: randomUUID(),
  };
}
