import type { ReactNode } from 'react';
import { showInvisible } from '../../ui/visible.ts';
import type { ChatConnection, ChatView, Step } from '../connection/index.ts';
import { useChatsText } from '../text.ts';
import { useChatConnection, useChatView } from '../use-chat-connection.ts';

/** Says in one line what an agent does in a chat right now. It holds a socket as long as it is shown. */
export function NewestStep({ chatId }: { readonly chatId: string }): ReactNode {
  const connection = useChatConnection(chatId);
  return connection === undefined ? null : <StepWords connection={connection} />;
}

function StepWords({ connection }: { readonly connection: ChatConnection }): ReactNode {
  const text = useChatsText();
  const step = useChatView(connection, newestOf);
  const isWriting = useChatView(connection, ({ work }) => work.at(-1)?.isWriting === true);
  if (isWriting) return text.phase.writing;
  return step === undefined ? text.phase.asking : showInvisible(nameOf(step));
}

function newestOf({ work }: Pick<ChatView, 'work'>): Step | undefined {
  const steps = work.at(-1)?.steps ?? [];
  return steps.findLast(({ status }) => status === 'running') ?? steps.at(-1);
}

function nameOf(step: Step): string {
  return step.kind === 'agent' ? `${step.agentName}: ${step.title}` : step.label;
}
