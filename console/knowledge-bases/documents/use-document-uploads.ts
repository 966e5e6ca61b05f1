import { useEffect, useState } from 'react';
import type { Problem } from '../../core/http/problem.ts';
import { uploadFile } from '../../core/http/upload-file.ts';
import { useOrgId, useSession } from '../../core/session/session-context.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { useFilesText } from '../../ui/files/text.ts';
import { Uploads } from '../../ui/files/uploads.ts';
import { showInvisible } from '../../ui/visible.ts';
import { type KnowledgeDocument, useDocumentActions } from '../queries.ts';

/** Those whose page was left. */
const unseen = new WeakSet<Uploads>();

/**
 * Returns what adds files to a knowledge base. They are uploaded to their end when its page is left, where a message
 * says which are refused, and once they are uploaded, they stand among the documents.
 */
export function useDocumentUploads(baseId: string): Uploads {
  const [session, orgId, toast] = [useSession(), useOrgId(), useToast()];
  const [actions, words] = [useDocumentActions(baseId), useFilesText()];
  const [uploads] = useState(() => {
    const opened = new Uploads({
      upload: async (file, options) => {
        const path = `/api/knowledge-bases/${baseId}/documents/upload`;
        const sent = { orgId, path, file, ...options };
        const { id } = await uploadFile<KnowledgeDocument>(session, sent).catch((error: Problem) => {
          const reason = error.status === 0 ? words.offline : error.message;
          if (unseen.has(opened)) toast(`${showInvisible(file.name)} ${words.failed(reason)}`, 'failed');
          throw error;
        });
        await actions.refresh();
        return { id, name: file.name, size: file.size };
      },
      discard: (id) => void actions.remove(id).catch(({ message }: Error) => toast(message, 'failed')),
    });
    opened.subscribe(() => {
      if (opened.list().some(({ state }) => state === 'ready')) opened.take();
    });
    return opened;
  });
  useEffect(() => {
    unseen.delete(uploads);
    return () => void unseen.add(uploads);
  }, [uploads]);
  return uploads;
}
