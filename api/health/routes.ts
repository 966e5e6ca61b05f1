import { z } from 'zod';
import { notMigrated, pendingMigrations } from '../../db/migrations/pending-migrations.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../context/api-context.ts';
import { emptySince } from '../../db/users/user.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { defineRoute } from '../http/define-route.ts';

const DEADLINE_MS = 2_000;
/** A status code of gRPC. */
const DEADLINE_EXCEEDED = 4;

/** What the process is ready for. */
interface Readiness {
  readonly status: 'ready';
  /** Messages are accepted while Temporal is away, so that is no reason to send requests elsewhere. */
  readonly engine: 'reachable' | 'away';
}

type Parts = Pick<ApiContext, 'database' | 'temporal' | 'log'>;

/** Returns what the process can serve; throws `unavailable` when the database is away or not migrated. */
export async function checkReadiness(parts: Parts): Promise<Readiness> {
  const [pending, isEngineThere] = await Promise.all([
    answerOf(parts, pendingMigrations(parts.database), 'ETIMEDOUT'),
    canReachEngine(parts),
  ]);
  if (pending === undefined) throw notReady('Not reachable: the database');
  if (pending.length > 0) throw notReady(notMigrated(pending));
  return { status: 'ready', engine: isEngineThere ? 'reachable' : 'away' };
}

/** Returns whether Temporal responds. */
export async function canReachEngine(parts: Pick<Parts, 'temporal' | 'log'>): Promise<boolean> {
  const { connection, workflowService } = parts.temporal;
  const asked = connection.withDeadline(Date.now() + DEADLINE_MS, async () => workflowService.getSystemInfo({}));
  return (await answerOf(parts, asked, DEADLINE_EXCEEDED)) !== undefined;
}

function notReady(message: string): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds: 2 });
}

/**
 * Returns what a part of the installation answers; undefined, with a warning in the log, when it fails or takes too
 * long. `late` is the code of errors that mean the latter, by which the log recognizes an outage.
 */
async function answerOf<T>(
  { log }: Pick<Parts, 'log'>,
  asked: Promise<T>,
  late: string | number,
): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error(`no answer within ${DEADLINE_MS} ms`), { code: late });
    timer = setTimeout(() => reject(error), DEADLINE_MS);
  });
  try {
    return await Promise.race([asked, deadline]);
  } catch (error) {
    log.warn({ err: error }, 'a part of the installation does not answer');
    return undefined;
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

/** Describes to a page, before anybody has signed in, what this server offers. */
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
