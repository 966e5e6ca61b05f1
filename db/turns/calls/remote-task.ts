import type { TenantDatabase } from '../../core/database.ts';

interface CallRef {
  readonly orgId: string;
  readonly callId: string;
}

/**
 * Records that a call is about to send its task to an agent of another platform. Returns false when an earlier attempt
 * has recorded it, and so may have sent the task, and when the call has ended.
 */
export async function noteSending({ tenant }: TenantDatabase, { orgId, callId }: CallRef): Promise<boolean> {
  const rows = await tenant.query(orgId, {
    name: 'note-remote-sending',
    text: `update tool_calls set remote_task = '' where id = $1 and remote_task is null and status = 'running' returning id`,
    values: [callId],
  });
  return rows.length > 0;
}

/** Stores the id of the task at the remote agent. */
export async function noteRemoteTask(
  { tenant }: TenantDatabase,
  { orgId, callId }: CallRef,
  id: string,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-remote-task',
    text: 'update tool_calls set remote_task = $2 where id = $1',
    values: [callId, id],
  });
}

/** Returns what is noted of the task of a call: null when none was sent, and '' until its id is known. */
export async function findRemoteTask({ tenant }: TenantDatabase, { orgId, callId }: CallRef): Promise<string | null> {
  const [row] = await tenant.query<{ readonly task: string | null }>(orgId, {
    name: 'find-remote-task',
    text: 'select remote_task as task from tool_calls where id = $1',
    values: [callId],
  });
  return row?.task ?? null;
}
