import { useMutation } from '@tanstack/react-query';
import { useToast } from '../../ui/overlays/toast.tsx';
import type { ChatConnection } from '../connection/index.ts';
import { saveFile } from '../../core/browser/save-file.ts';
import { useChatsText } from '../text.ts';
import { chatAsMarkdown, fileNameOf } from './chat-as-markdown.ts';

/** Returns what saves a chat as a Markdown file, with all its messages: those that are not known yet are read first. */
export function useExport(connection: ChatConnection, title: string, agentName: string): () => void {
  const text = useChatsText();
  const toast = useToast();
  const save = useMutation({
    mutationFn: async () => {
      while (connection.view.olderCount > 0) await connection.loadOlder();
      const words = { title, you: text.you, agent: agentName, leftOut: text.menu.leftOut };
      const content = chatAsMarkdown(connection.view.turns, words);
      saveFile(new Blob([content], { type: 'text/markdown' }), fileNameOf(title));
    },
    onError: ({ message }) => toast(text.menu.exportFailed(message), 'failed'),
  });
  return () => {
    if (!save.isPending) save.mutate();
  };
}
