import { STOPPED, STOPPED_WHILE_IT_RAN } from '../../../domain/tool-calls/tool-call.ts';
import type { Database } from '../../core/database.ts';
import type { Statement } from '../../core/sql-pool.ts';
import { NEW_ID } from '../../core/sql.ts';
import { retrySerializationFailures } from '../../core/unavailable.ts';
import type { StepRef } from './step.ts';
import type { StoredCall } from './store-step.ts';

const NOT_BEGUN = 'The call was not started: the turn ended before.';

/**
 * Closes every open call of a turn that is about to end: a call that may have taken effect becomes `unknown`, any other
 * one `interrupted`. Nobody has to decide about them any more, and sub-agents that have not begun end with it. Returns
 * the calls of running sub-agents, which must end before the turn does.
 */
export async function closeOpenCalls({ tenant }: Database, ref: StepRef): Promise<readonly StoredCall[]> {
  // Locked by a statement of its own: one that waits for a lock does not see what was requested in the meantime.
  const lock = { name: 'lock-turn', text: 'select from turns where id = $1 for update', values: [ref.turnId] };
  const close: Statement<StoredCall> = {
    name: 'close-open-calls',
    text: `with fenced as (
        select id from turns where id = $1 and attempt = $2 and step = $3 and status = 'running' for update
      ),
      ${endUnbegun('fenced', 't.parent_turn_id = fenced.id')},
      working as (
        select s.call_id, s.sub_chat_id from tasks s join fenced on s.parent_turn_id = fenced.id
          join turns w on w.id = s.id and w.status = 'running'
      ),
      closed as (
        update tool_calls k set ended_at = now(),
          status = case when k.status = 'running' and k.effect in ('keyed', 'once') then 'unknown' else 'interrupted' end,
          result = case when k.status = 'planned' then $4
            when k.effect in ('keyed', 'once') then $5 else $6 end
        from fenced where k.turn_id = fenced.id and k.status in ('planned', 'running')
          and k.id not in (select call_id from working where call_id is not null)
        returning k.id
      ),
      cancelled as (
        update approvals p set status = 'cancelled', decided_at = now(), parameters = null from closed
        where p.call_id = closed.id and p.status = 'pending'
      )
      select k.id, k.name, k.label, w.sub_chat_id as "subChatId", null as approval from working w join tool_calls k on k.id = w.call_id`,
    values: [ref.turnId, ref.attempt, ref.step, NOT_BEGUN, STOPPED_WHILE_IT_RAN, STOPPED],
  };
  return retrySerializationFailures(async () => {
    const [, working] = await tenant.transaction(ref.orgId, [lock, close]);
    return working;
  });
}

/**
 * Parts of a statement that end sub-agents' turns which have not begun: each as interrupted, with an empty message and
 * its task. `condition` selects them from `turns t`, and may name what `source` joins.
 */
export const endUnbegun = (source: string, condition: string) => `unbegun as (
    update turns t set status = 'interrupted', ended_at = now() from ${source}
    where ${condition} and t.status = 'queued' returning t.*
  ),
  answers as (
    insert into messages (id, org_id, chat_id, turn_id, role, content, metadata, agent_id, user_id)
    select ${NEW_ID}, u.org_id, u.chat_id, u.id, 'assistant', '', jsonb_build_object('status', 'interrupted',
      'turn_id', u.id, 'tool_call_count', 0, 'tool_calls_detail', '[]'::jsonb, 'sub_agents', '[]'::jsonb,
      'usage', '{"input_tokens": 0, "output_tokens": 0}'::jsonb), c.agent_id, u.user_id
    from unbegun u join chats c on c.id = u.chat_id
  ),
  works as (
    update tasks set status = 'interrupted', output = '', ended_at = now(), updated_at = now() from unbegun
    where tasks.id = unbegun.id
  )`;
