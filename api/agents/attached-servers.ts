import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { requireMcpServers } from '../../db/mcp-servers/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { jsonObject, nameText, text } from '../../domain/core/text.ts';
import { baseUrlIssue, type PrivateHosts } from '../../domain/network/index.ts';
import { idOf } from '../resources/id-fields.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';
import { policyAllows } from '../../domain/permissions/index.ts';

/** Settings of a connection, such as time limits: neither the name of a program nor a secret fits into them. */
const config = jsonObject().refine(
  (settings) => Object.values(settings).every((value) => typeof value === 'number' || typeof value === 'boolean'),
  'may hold numbers and booleans only',
);

/**
 * The MCP servers of an agent: records of the organization, or addresses. No field names a program to start, and none
 * holds a secret, because every member who sees the agent sees its servers.
 */
export const attachedServersSchema = z
  .array(
    z
      .strictObject({
        id: idOf('mcp_servers'),
        server_id: idOf('mcp_servers').meta({ description: 'Another name for `id`' }),
        tools: z
          .array(text(128).min(1))
          .max(200)
          .meta({ description: 'The names of the tools that the agent is offered; all of them unless given' }),
        name: nameText(),
        description: text(5_000).nullable(),
        url: text(2_000).min(1).meta({ format: 'uri' }),
        config,
        auth_type: nameText(50),
        auth_value: z.null({ error: 'belongs in an MCP server record: agents do not hold credentials' }).meta({
          type: ['string', 'null'],
          description: 'Null: agents do not hold credentials',
        }),
      })
      .partial()
      .meta({ id: 'AttachedServer' }),
  )
  .max(50)
  .meta({
    description:
      'MCP servers by the id of their record. An address without a record is stored, and its tools are not offered; programs are rejected.',
  });

interface Attaching {
  readonly mcps?: z.output<typeof attachedServersSchema> | undefined;
}

/** Rejects addresses that outgoing calls may not reach. */
export function checkAttachedServers({ mcps = [] }: Attaching, privateHosts: PrivateHosts): void {
  const issues = mcps.flatMap(({ url }, index) => {
    const msg = url === undefined ? undefined : baseUrlIssue(url, privateHosts);
    return msg === undefined ? [] : [{ type: 'custom', loc: ['body', 'mcps', index, 'url'], msg }];
  });
  if (issues.length > 0) throw new InvalidRequest(issues);
}

/**
 * Checks that the servers that are added exist and that the caller may see them; `not_found` otherwise. Servers that
 * the agent names already can stay, though they are gone.
 */
export async function requireAttachedServers(
  em: EntityManager,
  { policy }: OrgCaller,
  { mcps = [] }: Attaching,
  present: readonly Readonly<Record<string, unknown>>[] = [],
): Promise<void> {
  const there = new Set(present.map(idOfServer));
  const added = mcps.flatMap((server) => idOfServer(server) ?? []).filter((id) => !there.has(id));
  if (added.length > 0 && !policyAllows(policy, 'mcp_servers.view')) throw notFound('MCP server');
  await requireMcpServers(em, added);
}

/** Returns the id of the record that an entry names; undefined for an address without one. */
export function idOfServer({ id, server_id: serverId }: Readonly<Record<string, unknown>>): string | undefined {
  const named = id ?? serverId;
  return typeof named === 'string' ? named : undefined;
}
