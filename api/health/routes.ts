import { z } from 'zod';
import { defineRoute } from '../http/define-route.ts';
import { describeServerRoute } from './describe-server.ts';
import { checkReadiness } from './readiness.ts';

const head = { resource: 'health', method: 'get', access: 'public', tag: 'Health' } as const;

export const healthRoutes = [
  defineRoute({
    ...head,
    path: '/healthz',
    operationId: 'checkHealth',
    summary: 'Whether the process is alive',
    response: {
      status: 200,
      description: 'The process is alive',
      schema: z.object({ status: z.literal('ok') }).meta({ id: 'Health' }),
    },
    handler: async () => ({ status: 'ok' as const }),
  }),
  defineRoute({
    ...head,
    path: '/readyz',
    operationId: 'checkReadiness',
    summary: 'Whether this process can serve requests',
    description:
      '503 says why not: the database cannot be reached, or has not been migrated. `engine` says whether Temporal can be reached; messages are accepted while it is away.',
    errors: [503],
    response: {
      status: 200,
      description: 'It can',
      schema: z.object({ status: z.literal('ready'), engine: z.enum(['reachable', 'away']) }).meta({ id: 'Readiness' }),
    },
    handler: async (_input, context) => checkReadiness(context),
  }),
  describeServerRoute,
];
