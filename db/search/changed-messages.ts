import type { Transaction } from '../core/index.ts';

/**
 * Returns the part of a statement that notes that the rows of `messages` have a new text, so that the search finds them
 * by it. It waits for nobody: a worker, or a search of somebody who may read them, enters them later.
 */
export function noteChanged(messages: string): string {
  return `insert into changed_messages (org_id, message_id) select org_id, id from ${messages}`;
}

/**
 * Forgets the words of messages that have changed, `limit` at most, and returns the ids of the messages, for them to be
 * entered again. Nobody else enters messages meanwhile.
 *
 * @param among the messages that are looked at; those that changed first unless given.
 */
export async function forgetChanged(
  transaction: Transaction,
  limit: number,
  among?: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await transaction.query<{ id: string }>(
    among === undefined
      ? { name: 'forget-changed', text: forget('order by seq limit $1'), values: [limit] }
      : {
          name: 'forget-changed-among',
          text: forget('where message_id = any($2::uuid[]) limit $1'),
          values: [limit, among],
        },
  );
  return rows.map(({ id }) => id);
}

const forget = (which: string) => `with taken as (
    delete from changed_messages where seq in (select seq from changed_messages ${which}) returning message_id
  ),
  own as (delete from message_words where message_id in (select message_id from taken)),
  shared as (delete from shared_message_words where message_id in (select message_id from taken))
  select distinct message_id as id from taken`;
