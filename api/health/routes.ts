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
    summary: 'Whether the database and Temporal can be reached',
    description: '503 names the part that does not respond.',
    errors: [503],
    response: {
      status: 200,
      description: 'Both answer',
      schema: z.object({ status: z.literal('ready') }).meta({ id: 'Readiness' }),
    },
    handler: async (_input, context) => {
      await checkReadiness(context);
      return { status: 'ready' as const };
    },
  }),
  describeServerRoute,
];
