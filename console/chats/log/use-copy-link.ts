import { useRouter } from '@tanstack/react-router';
import { clipboard } from '../../core/browser/insecure-pages.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import type { Message } from '../connection/api-types.ts';
import { useChatsText } from '../text.ts';

/** Returns what copies the address of a message. Where a page may not copy, the address bar shows it. */
export function useCopyLink({ id, chat_id: chatId }: Message): () => void {
  const text = useChatsText().link;
  const [router, orgId, toast] = [useRouter(), useOrgId(), useToast()];
  return () => {
    const location = { to: '/o/$orgId/chats/$chatId', params: { orgId, chatId }, search: { message: id } } as const;
    const board = clipboard();
    if (board === undefined) {
      void router.navigate(location).then(() => toast(text.inAddressBar));
      return;
    }
    const { href } = router.buildLocation(location);
    board.writeText(new URL(href, globalThis.location.origin).href).then(
      () => toast(text.copied),
      () => toast(text.failed, 'failed'),
    );
  };
}
