import type { FinalRunStatus, RunTrigger } from '../../domain/agent-workflows/index.ts';
import type { MessageSubject, RunSubject } from '../../domain/webhooks/index.ts';
import type { TenantDatabase } from '../core/index.ts';
import type { Delivery } from './next-delivery.ts';

/** Returns what a delivery tells of, its texts up to `maxCharacters` and one more; undefined when it is gone. */
export async function readSubject(
  { tenant }: TenantDatabase,
  orgId: string,
  { messageId, runId }: Delivery,
  maxCharacters: number,
): Promise<MessageSubject | RunSubject | undefined> {
  const [subject] =
    messageId === null
      ? await tenant.query<RunSubject & { status: FinalRunStatus; triggeredBy: RunTrigger }>(orgId, {
          name: 'subject-run',
          text: RUN,
          values: [runId, maxCharacters + 1],
        })
      : await tenant.query<MessageSubject>(orgId, {
          name: 'subject-message',
          text: MESSAGE,
          values: [messageId, maxCharacters + 1],
        });
  return subject;
}

const MESSAGE = `select 'message' as kind, m.id, m.chat_id as "chatId", m.turn_id as "turnId", c.title as "chatTitle",
    c.project_id as "projectId", m.agent_id as "agentId", left(m.content, $2) as content, m.metadata ->> 'status' as status,
    m.metadata ->> 'error' as error, m.metadata -> 'usage' as usage, m.created_at as "createdAt"
  from messages m join chats c on c.id = m.chat_id where m.id = $1`;

// The times of a workflow are a schedule that nobody else is shown.
const RUN = `select 'run' as kind, r.id, r.workflow_id as "workflowId", f.name as "workflowName", s.id as "scheduleId",
    s.name as "scheduleName", r.chat_id as "chatId", r.status,
    r.triggered_by as "triggeredBy", left(r.output, $2) as output, r.error,
    json_build_object('input_tokens', r.input_tokens, 'output_tokens', r.output_tokens) as usage,
    r.started_at as "startedAt", r.completed_at as "completedAt", r.created_at as "createdAt"
  from workflow_runs r left join agent_workflows f on f.id = r.workflow_id
    left join schedules s on s.id = r.schedule_id and s.workflow_id is null where r.id = $1`;
