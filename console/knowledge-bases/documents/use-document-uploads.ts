import { useState } from 'react';
import { uploadFile } from '../../core/http/upload-file.ts';
import { useOrgId, useSession } from '../../core/session/session-context.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Uploads } from '../../ui/files/uploads.ts';
import { type KnowledgeDocument, useDocumentActions } from '../queries.ts';

/**
 * Returns what adds files to a knowledge base. They are uploaded to their end when its page is left, and once they are,
 * they stand among the documents.
 */
export function useDocumentUploads(baseId: string): Uploads {
  const [session, orgId, toast] = [useSession(), useOrgId(), useToast()];
  const actions = useDocumentActions(baseId);
  const [uploads] = useState(() => {
    const opened = new Uploads({
      upload: async (file, options) => {
        const path = `/api/knowledge-bases/${baseId}/documents/upload`;
        const { id } = await uploadFile<KnowledgeDocument>(session, { orgId, path, file, ...options });
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
  return uploads;
}
