import type { TenantDatabase } from '../../core/index.ts';

/** Returns whether a chat is the conversation of a run, of a workflow or a schedule, that an agent has started. */
export async function isStartedByAgent({ tenant }: TenantDatabase, orgId: string, chatId: string): Promise<boolean> {
  const [row] = await tenant.query<{ isStarted: boolean }>(orgId, {
    name: 'is-started-by-agent',
    text: `select exists (select from workflow_runs where chat_id = $1 and triggered_by = 'agent') as "isStarted"`,
    values: [chatId],
  });
  return row?.isStarted === true;
}
