import { z } from 'zod';
import { kindOfRedisCommand } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { describeService } from '../services/describe-service.ts';
import { integrationParameter } from '../parameters.ts';

/** Runs one command on a Redis server of the organization. */
export const redis = defineTool({
  key: 'redis',
  name: 'Redis',
  description:
    'Runs one command on the keys, hashes, lists, sets and streams of a Redis or Valkey server, such as `HGETALL` with `["user:1"]`. Find keys with SCAN.',
  category: 'data',
  parameters: z.strictObject({
    connection: integrationParameter,
    command: z
      .string()
      .regex(/^[A-Za-z_]{1,30}$/, 'must be one word')
      .describe('Its name.'),
    args: z.array(z.string().max(1_000_000)).max(1_000).optional().describe('What follows the name.'),
  }),
  effect: 'once',
  approval: 'writes',
  timeoutSeconds: 30,
  needsIntegration: ['redis'],
  effectOf: ({ command, args = [] }) => {
    const kind = kindOfRedisCommand({ command, args });
    return 'effect' in kind ? kind.effect : 'read';
  },
  label: ({ command }) => `Redis: ${command.toUpperCase()}`,
  describe: async ({ connection }, context) => describeService(['redis'], connection, context),
  run: async ({ connection, command, args = [] }, context) => {
    const service = await context.openService(['redis'], connection);
    return { value: await context.connections.runRedis(service, { command, args }), isForeign: true };
  },
});
