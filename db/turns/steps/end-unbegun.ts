import { NEW_ID } from '../../core/sql/new-id.ts';

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
