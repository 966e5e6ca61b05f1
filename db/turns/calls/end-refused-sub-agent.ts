import type { Database } from '../../core/database.ts';
import { endUnbegun } from '../steps/end-unbegun.ts';

/** Ends the turn of a sub-agent whose work nobody has allowed. Safe to repeat; the call is closed after it. */
export async function endRefusedSubAgent({ tenant }: Database, orgId: string, callId: string): Promise<void> {
  await tenant.query(orgId, {
    name: 'end-refused-sub-agent',
    text: `with refused as (
        select s.id from tasks s join approvals p on p.call_id = s.call_id
        where s.call_id = $1 and p.status in ('denied', 'expired')
      ),
      ${endUnbegun('refused', 't.id = refused.id')}
      select from refused`,
    values: [callId],
  });
}
