import { z } from 'zod';
import { jsonObject, nameText, text } from '../../domain/core/text.ts';
import { idOf } from '../resources/id-fields.ts';

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
