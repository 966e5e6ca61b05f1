import type { Database } from '../../db/core/database.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { finishTurn } from '../../db/turns/steps/finish-turn.ts';
import { insertAgent, insertChat } from './rows.ts';
import { PLAIN_END } from './plain-end.ts';

/** As many open turns as a user may have, of which no worker takes any. */
export interface FullRoom {
  /** Ends one of them, which leaves room for another. */
  endOne(): Promise<void>;
  /** Removes them all. */
  empty(): Promise<void>;
}

/** Opens as many turns as a user may have, in a chat of their own. */
export async function fillRoom(
  database: Database,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
): Promise<FullRoom> {
  const agentId = await insertAgent(database, orgId);
  const chatId = await insertChat(database, { orgId, userId, agentId });
  await database.system.query(
    `insert into turns (id, org_id, chat_id, user_id, next_wake_at)
      select gen_random_uuid(), $1, $2, $3, now() + interval '1 hour' from generate_series(1, 1000)`,
    [orgId, chatId, userId],
  );
  return {
    endOne: async () => {
      const turn = await claimTurn(database, { orgId, chatId });
      if (turn === undefined) throw new Error('no turn is open');
      await finishTurn(database, {
        orgId,
        chatId,
        turnId: turn.id,
        attempt: turn.attempt,
        step: turn.step,
        status: 'completed',
        content: '',
        metadata: {},
        agentId,
        ...PLAIN_END,
      });
    },
    empty: async () => void (await database.system.query('delete from turns where chat_id = $1', [chatId])),
  };
}
