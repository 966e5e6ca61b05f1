import { z } from 'zod';
import { notMigrated, pendingMigrations } from '../../db/migrations/pending-migrations.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../context/api-context.ts';
import { emptySince } from '../../db/users/user.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { defineRoute } from '../http/define-route.ts';

const DEADLINE_MS = 2_000;

/** What the process can serve. */
interface Readiness {
  readonly status: 'ready';
  /** Messages are accepted while Temporal is away, so that is no reason to send requests elsewhere. */
  readonly engine: 'reachable' | 'away';
}

/** Returns what the process can serve; throws `unavailable` when the database is away or not migrated. */
async function checkReadiness(context: ApiContext): Promise<Readiness> {
  const [pending, isEngineThere] = await Promise.all([
    within(DEADLINE_MS, pendingMigrations(context.database)),
    canReachEngine(context),
  ]);
  if (pending === undefined) throw notReady('Not reachable: the database');
  if (pending.length > 0) throw notReady(notMigrated(pending));
  return { status: 'ready', engine: isEngineThere ? 'reachable' : 'away' };
}

/** Returns whether Temporal responds. */
export async function canReachEngine({ temporal }: Pick<ApiContext, 'temporal'>): Promise<boolean> {
  const asked = temporal.connection.withDeadline(Date.now() + DEADLINE_MS, async () =>
    temporal.workflowService.getSystemInfo({}),
  );
  return (await within(DEADLINE_MS, asked)) !== undefined;
}

function notReady(message: string): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds: 2 });
}

// Undefined for a failure, and when it takes too long.
async function within<T>(ms: number, probe: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([probe.catch(() => undefined), deadline]);
  } finally {
    clearTimeout(timer);
  }
}

const head = { resource: 'health', method: 'get', access: 'public', tag: 'Health' } as const;

const serverSchema = z
  .object({
    version: z.string(),
    registration: z
      .enum(['open', 'invite', 'closed'])
      .meta({ description: 'Who may create an account: anybody, people with an invite, or nobody' }),
    has_accounts: z.boolean().meta({ description: 'False on a server without any account' }),
    needs_setup_token: z.boolean().meta({
      description: 'Whether the next account is the first one, which requires the setup token logged by the API server',
    }),
  })
  .meta({ id: 'Server' });

/** Tells a page, before anybody has signed in, what it can offer. */
const describeServerRoute = defineRoute({
  resource: 'health',
  method: 'get',
  path: '/api/server',
  access: 'public',
  tag: 'Health',
  operationId: 'describeServer',
  summary: 'Get the version of the server, and who may create an account',
  response: { status: 200, description: 'What anyone may know about the server', schema: serverSchema },
  handler: async (_input, { database, registration }) => {
    const isEmpty = (await emptySince(database)) !== undefined;
    return {
      version: packageJson.version,
      registration,
      has_accounts: !isEmpty,
      needs_setup_token: isEmpty && registration !== 'open',
    };
  },
});

export const healthRoutes = [
  defineRoute({
    ...head,
    path: '/healthz',
    operationId: 'checkHealth',
    summary: 'Check whether the process is alive',
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
    summary: 'Check whether this process can serve requests',
    description:
      '503 says why not: the database is unreachable or has not been migrated. `engine` says whether Temporal is reachable; messages are accepted even while it is not.',
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
