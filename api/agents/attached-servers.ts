import { z } from 'zod';
import { notFound } from '../../domain/core/app-error.ts';
import { jsonObject, nameText, text } from '../../domain/core/text.ts';
import { baseUrlIssue, type PrivateHosts } from '../../domain/network/index.ts';
import { idOf } from '../resources/id-fields.ts';
import { InvalidRequest } from '../http/problem.ts';

/** Settings of a connection, such as time limits: neither the name of a program nor a secret fits into them. */
const config = jsonObject().refine(
  (settings) => Object.values(settings).every((value) => typeof value === 'number' || typeof value === 'boolean'),
  'may hold numbers and booleans only',
);

/**
 * The MCP servers of an agent: addresses, or records of the organization. No field names a program to start, and none
 * holds a secret, because every member who sees the agent sees its servers.
 */
export const attachedServersSchema = z
  .array(
    z
      .strictObject({
        id: idOf('mcp_servers'),
        server_id: idOf('mcp_servers'),
        name: nameText(),
        description: text(5_000).nullable(),
        url: text(2_000).min(1),
        config,
        auth_type: nameText(50),
        auth_value: z.null({ error: 'belongs in an MCP server record: agents do not hold credentials' }),
      })
      .partial()
      .meta({ id: 'AttachedServer' }),
  )
  .max(50)
  .meta({ description: 'MCP servers by address, or by the id of an MCP server record; programs are rejected' });

interface Attaching {
  readonly mcps?: z.output<typeof attachedServersSchema> | undefined;
}

/**
 * Rejects addresses that outgoing calls may not reach, and every record id: no organization has MCP server records yet.
 */
export function checkAttachedServers({ mcps = [] }: Attaching, privateHosts: PrivateHosts): void {
  const issues = mcps.flatMap(({ url }, index) => {
    const msg = url === undefined ? undefined : baseUrlIssue(url, privateHosts);
    return msg === undefined ? [] : [{ type: 'custom', loc: ['body', 'mcps', index, 'url'], msg }];
  });
  if (issues.length > 0) throw new InvalidRequest(issues);
  if (mcps.some(({ id, server_id: serverId }) => (id ?? serverId) !== undefined)) throw notFound('MCP server');
}
