import type { ReportValues } from '../../domain/destinations.ts';
import { toldAnswer } from '../../domain/turns.ts';
import type { DeliverySubject } from '../../domain/webhooks.ts';

/** What a report tells of: its values for templates, and where people and files of it are found. */
interface Reported extends Omit<ReportValues, 'link'> {
  /** Its page in the console, below that of the organization. */
  readonly path: string;
  /** The chat whose workspace has its files; null for none. */
  readonly chatId: string | null;
}

/** Returns what a report tells of. */
export function reportedOf(subject: DeliverySubject): Reported {
  if (subject.kind === 'missed') {
    const { id, name, workflowId, missed } = subject;
    const path = workflowId === null ? `schedules/${id}` : `workflows/${workflowId}`;
    return { name, status: missed.kind, output: '', error: missed.reason, path, chatId: null };
  }
  if (subject.kind === 'run') {
    const { id, workflowName, scheduleName, status, output, error, chatId } = subject;
    const name = workflowName ?? scheduleName ?? '';
    return { name, status, output: output ?? '', error: error ?? '', path: `runs?id=${id}`, chatId };
  }
  const { chatTitle, task, status, content, error, finishReason, workspaceChatId } = subject;
  const output = toldAnswer(content, finishReason);
  const path = task === null ? `chats/${subject.chatId}` : `tasks/${task.id}`;
  const name = task === null ? chatTitle : task.title;
  return { name, status: status ?? '', output, error: error ?? '', path, chatId: workspaceChatId };
}
