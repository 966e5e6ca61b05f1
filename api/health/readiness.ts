import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../context/api-context.ts';

const DEADLINE_MS = 2_000;

/** Throws `unavailable`, naming what is down, unless both the database and Temporal respond. */
export async function checkReadiness({ database, temporal }: ApiContext): Promise<void> {
  const [databaseAnswers, temporalAnswers] = await Promise.all([
    answers(database.system.query('select 1')),
    answers(
      temporal.connection.withDeadline(Date.now() + DEADLINE_MS, async () =>
        temporal.workflowService.getSystemInfo({}),
      ),
    ),
  ]);
  const silent = [...(databaseAnswers ? [] : ['the database']), ...(temporalAnswers ? [] : ['Temporal'])];
  if (silent.length > 0)
    throw new AppError('unavailable', `Not reachable: ${silent.join(' and ')}`, { retryAfterSeconds: 2 });
}

async function answers(probe: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), DEADLINE_MS);
  });
  try {
    return await Promise.race([
      probe.then(
        () => true,
        () => false,
      ),
      deadline,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
