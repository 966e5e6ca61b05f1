import { z } from 'zod';
import { kindOfRedisCommand, kindOfStatement } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { describeService } from '../services/describe-service.ts';
import { integrationParameter } from '../parameters.ts';

const KINDS = ['postgres', 'mysql'] as const;
const DEFAULT_ROWS = 100;
const DEFAULT_SECONDS = 30;

const parameters = z.strictObject({
  connection: integrationParameter,
  sql: z.string().min(1).max(100_000).describe('One statement.'),
  params: z
    .array(z.unknown())
    .max(1_000)
    .optional()
    .describe('Values of its placeholders: $1, $2 in PostgreSQL, ? in MySQL and MariaDB.'),
  write: z
    .boolean()
    .optional()
    .describe(
      'Set for a statement that begins like one that reads, and changes something or calls a function that may (VOLATILE in PostgreSQL).',
    ),
  max_rows: z.int().min(1).max(1_000).optional().describe('100 unless given.'),
  timeout_s: z.int().min(1).max(100).optional().describe('30 unless given.'),
});

/** Runs one statement on a database of the organization. One that reads does so in a transaction that cannot write. */
export const database = defineTool({
  key: 'database',
  name: 'Database',
  description:
    'Runs one SQL statement on a PostgreSQL, MySQL or MariaDB database. Inspect the tables first (information_schema), and aggregate rather than read many rows.',
  category: 'data',
  parameters,
  effect: 'once',
  approval: 'writes',
  timeoutSeconds: 120,
  needsIntegration: KINDS,
  effectOf: (args) => (writes(args) ? 'once' : 'read'),
  label: ({ connection }) => (connection === undefined ? 'Asking the database' : `Asking ${connection}`),
  describe: async ({ connection }, context) => describeService(KINDS, connection, context),
  run: async ({ connection, sql, params = [], ...args }, context) => {
    const service = await context.openService(KINDS, connection);
    const { columns, rows, isCut, affected } = await context.connections.runSql(service, {
      sql,
      params,
      isWrite: writes({ sql, ...args }),
      maxRows: args.max_rows ?? DEFAULT_ROWS,
      timeoutMs: (args.timeout_s ?? DEFAULT_SECONDS) * 1000,
    });
    const value = {
      columns,
      rows,
      ...(affected !== null && { affected }),
      ...(isCut && { note: 'There are more rows, or larger ones, than an answer has.' }),
    };
    return { value, isForeign: true };
  },
});

function writes({ sql, write = false }: Pick<z.output<typeof parameters>, 'sql' | 'write'>): boolean {
  const kind = kindOfStatement(sql);
  return write || ('isWrite' in kind && kind.isWrite);
}

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
