import { z } from 'zod';
import { defineRoute } from '../core/define-route.ts';
import { checkReadiness } from './readiness.ts';

const head = { method: 'get', access: 'public', tag: 'Health' } as const;

export const healthRoutes = [
  defineRoute({
    ...head,
    path: '/healthz',
    summary: 'Whether the process is alive',
    response: { status: 200, schema: z.object({ status: z.literal('ok') }) },
    handler: async () => ({ status: 'ok' as const }),
  }),
  defineRoute({
    ...head,
    path: '/readyz',
    summary: 'Whether the database and Temporal can be reached',
    errors: [503],
    response: { status: 200, schema: z.object({ status: z.literal('ready') }) },
    handler: async (_input, context) => {
      await checkReadiness(context);
      return { status: 'ready' as const };
    },
  }),
];
