import { AppError } from '../../../domain/core/app-error.ts';
import type { TenantDatabase } from '../../core/database.ts';

/**
 * Rejects that an agent starts a run, of a workflow or a schedule, in the conversation of a run that an agent has
 * started: they could start each other forever.
 */
export async function requireOwnStart({ tenant }: TenantDatabase, orgId: string, chatId: string): Promise<void> {
  const [row] = await tenant.query<{ isStarted: boolean }>(orgId, {
    name: 'is-started-by-agent',
    text: `select exists (select from workflow_runs where chat_id = $1 and triggered_by = 'agent') as "isStarted"`,
    values: [chatId],
  });
  if (row?.isStarted !== true) return;
  throw new AppError(
    'conflict',
    'You work in a run that an agent has started, so you cannot start another run. Say in your answer what should be run',
  );
}
