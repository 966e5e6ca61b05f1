import { useNavigate } from '@tanstack/react-router';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useDeleteChat } from '../queries.ts';
import { useChatsText } from '../text.ts';
import type { Chat } from '../phase/phase.ts';

/** Returns what deletes a chat, leaves its page, and offers to bring it back. */
export function useDelete({ id, title }: Pick<Chat, 'id' | 'title'>): () => void {
  const text = useChatsText().menu;
  const [navigate, orgId, toast] = [useNavigate(), useOrgId(), useToast()];
  const { remove, restore } = useDeleteChat(id);
  const fail = ({ message }: Error) => toast(message, 'failed');
  const undo = async () => {
    await restore();
    await navigate({ to: '/o/$orgId/chats/$chatId', params: { orgId, chatId: id } });
  };
  const leave = async () => {
    await navigate({ to: '/o/$orgId/chats', params: { orgId } });
    toast(text.deleted(showInvisible(title)), 'done', { label: text.undo, run: () => void undo().catch(fail) });
  };
  return () => {
    if (!remove.isPending) remove.mutate(undefined, { onError: fail, onSuccess: () => void leave() });
  };
}
