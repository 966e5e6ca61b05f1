import type { Asked } from '../../domain/questions.ts';
import type { RecordNews } from '../core/after-commit.ts';

/**
 * Returns the news of approvals for those who are asked a question: they may be others than the readers of the chat,
 * who are told by the events of its turn. Other approvals have none.
 */
export function newsOfQuestions(
  questions: readonly { readonly orgId: string; readonly id: string; readonly asked: Asked }[],
  action: RecordNews['action'],
): readonly RecordNews[] {
  return questions.flatMap(({ orgId, id, asked: { userId, role } }) =>
    userId === null && role === null
      ? []
      : [{ orgId, resource: 'approvals', id, action, ...(userId !== null && { userId }) } as const],
  );
}
