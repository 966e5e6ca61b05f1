import type { Asked } from '../../domain/questions.ts';
import type { RecordNews } from '../core/after-commit.ts';

/** An approval, and who is asked beside the readers of its chat. */
export interface AskedRecord {
  readonly orgId: string;
  readonly id: string;
  readonly asked: readonly Asked[];
}

/** Returns an object of SQL that says to whom an approval is escalated. */
export const escalatedTo = (approval: string): string =>
  `json_build_object('userId', ${approval}.escalated_user_id, 'role', ${approval}.escalated_role)`;

/** Returns an array of SQL with the `asked` of an approval's record. */
export const askedOf = (approval: string): string => `json_build_array(
  json_build_object('userId', ${approval}.asked_user_id, 'role', ${approval}.asked_role), ${escalatedTo(approval)})`;

/**
 * Returns the news of approvals for those who are asked a question or to whom something is escalated: they may be
 * others than the readers of the chat, who are notified by the events of its turn. Other approvals have none.
 */
export function newsOfAsked(approvals: readonly AskedRecord[], action: RecordNews['action']): readonly RecordNews[] {
  return approvals.flatMap(({ orgId, id, asked }) =>
    asked.flatMap(({ userId, role }) =>
      userId === null && role === null
        ? []
        : [{ orgId, resource: 'approvals', id, action, ...(userId !== null && { userId }) } as const],
    ),
  );
}

/** Returns the news that somebody has approved what others have to approve as well, for all who may see it. */
export function newsOfVote({ orgId, id }: Pick<AskedRecord, 'orgId' | 'id'>): readonly RecordNews[] {
  return [{ orgId, resource: 'approvals', id, action: 'changed' }];
}
