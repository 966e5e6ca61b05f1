import { AFTER_SEQ, ANCESTORS } from './ancestors.ts';

/**
 * Parts of a statement that wake the turns whose calls somebody has decided about, with the turns at their roots, and
 * move runs on whose time limits stood still: `running_on` has their ids, by `root_turn_id`. `source` has rows with
 * `turn_id`, `root_turn_id`, `call_id`, `status` and `requested_at`; the turns were locked before. A sub-agent that may
 * begin now has as much time as when it was asked for.
 */
export const wakeDecided = (source: string) => `woken as (
    update turns t set woken_since_claim = true, next_wake_at = now(), wake_count = 0
    where t.id in (select turn_id from ${source} union select root_turn_id from ${source}) and t.status = 'running'
  ),
  running_on as (
    update workflow_runs r set version = r.version + 1, updated_at = now() from turns t
    where t.id in (select root_turn_id from ${source}) and r.id = t.run_id and r.completed_at is null
      and r.deadline_at is not null
    returning r.id, t.id as root_turn_id
  ),
  begun_late as (
    update turns t set deadline_at = t.deadline_at + (now() - d.requested_at)
    from ${source} d join tasks s on s.call_id = d.call_id
    where t.id = s.id and t.status = 'queued' and d.status = 'approved'
  )`;

/**
 * Whom a step of `turns t` is announced to, as `StepAudience`: its own chat, and those of the turns above, root first.
 */
export const AUDIENCE_OF_TURN = `json_build_object('own', json_build_object('turnId', t.id, 'chatId', t.chat_id, 'turnSeq',
    t.seq, 'afterSeq', ${AFTER_SEQ}), 'ancestors', (${ANCESTORS})::json)`;
