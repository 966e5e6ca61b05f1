import { notMigrated, pendingMigrations } from '../../db/orm/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../context/api-context.ts';

const DEADLINE_MS = 2_000;

/** What the process can serve. */
export interface Readiness {
  readonly status: 'ready';
  /** Messages are accepted while Temporal is away, so that is no reason to send requests elsewhere. */
  readonly engine: 'reachable' | 'away';
}

/** Returns what the process can serve; throws `unavailable` when the database is away or not migrated. */
export async function checkReadiness(context: ApiContext): Promise<Readiness> {
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
