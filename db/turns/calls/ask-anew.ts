import type { Database } from '../../core/database.ts';
import { HAS_STOPPED } from '../ancestors.ts';
import type { PlannedApproval } from '../steps/store-step.ts';
import type { BegunCall } from './begin-call.ts';

/**
 * Has an approved call that was begun wait for another decision, as if this attempt at it had not begun: what it does
 * was changed after it was approved. The arguments that it was approved with stay. Returns false, with nothing stored,
 * when a later attempt has begun, or the turn was asked to stop.
 */
export async function askAnew(
  { tenant }: Database,
  orgId: string,
  { id, attempt, tries }: Pick<BegunCall, 'id' | 'attempt' | 'tries'>,
  approval: PlannedApproval,
): Promise<boolean> {
  const { id: approvalId, expiresAt, parameters, details, digest } = approval;
  const rows = await tenant.query(orgId, {
    name: 'ask-anew',
    // The turn is locked first, as by everything else that changes both.
    text: `with turn as (
        select t.id from turns t where t.id = (select turn_id from tool_calls where id = $1) and t.status = 'running'
          and not ${HAS_STOPPED}
        for update
      ),
      aside as (
        update tool_calls k set status = 'planned', holder_id = null, started_at = null, tries = greatest($3 - 1, 0)
        from turn where k.turn_id = turn.id and k.id = $1 and k.attempt = $2 and k.status = 'running'
        returning k.id
      ),
      outdated as (
        update approvals p set status = 'outdated' from aside where p.call_id = aside.id and p.status = 'approved'
        returning p.*
      )
      insert into approvals (id, org_id, chat_id, turn_id, root_turn_id, call_id, edited_arguments, expires_at, parameters,
        details, digest)
      select $4, org_id, chat_id, turn_id, root_turn_id, call_id, edited_arguments, $5, $6, $7, $8 from outdated returning id`,
    values: [
      id,
      attempt,
      tries,
      approvalId,
      expiresAt,
      parameters === null ? null : JSON.stringify(parameters),
      JSON.stringify(details),
      digest,
    ],
  });
  return rows.length > 0;
}
