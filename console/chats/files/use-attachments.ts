import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useDrafts } from '../../core/drafts.ts';
import { answerOf } from '../../core/http/api-client.ts';
import { uploadFile } from '../../core/http/upload-file.ts';
import { useApi, useOrgId, useSession } from '../../core/session/session-context.tsx';
import { type Upload, Uploads } from '../../ui/files/uploads.ts';
import { useUploadList } from '../../ui/files/upload-list.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { type ChatFile, filesKey } from './queries.ts';
import { keepPending, takePending } from './pending-files.ts';

/** The files that a message may have. */
const MAX_FILES = 20;

/** What is attached to the message that is being written; `attachments` is undefined until the chat is open. */
export interface Attaching {
  readonly attachments: Uploads | undefined;
  readonly list: readonly Upload[];
}

/** Returns the files beside the message that is being written in a chat. */
export function useAttachments(chatId: string): Attaching {
  const [api, session, orgId, cache] = [useApi(), useSession(), useOrgId(), useQueryClient()];
  const [drafts, toast] = [useDrafts(), useToast()];
  const [attachments, setAttachments] = useState<Uploads>();
  useEffect(() => {
    const changed = () => void cache.invalidateQueries({ queryKey: filesKey(orgId, chatId) });
    const discard = async (fileId: string) => {
      const path = { chat_id: chatId, file_id: fileId };
      await answerOf(api.DELETE('/api/chats/{chat_id}/files/{file_id}', { params: { path } }));
      changed();
    };
    const key = `chat.${chatId}.files`;
    const opened = new Uploads({
      maxFiles: MAX_FILES,
      upload: async (file, options) => {
        const stored = await uploadFile<ChatFile>(session, {
          orgId,
          path: `/api/chats/${chatId}/files`,
          file,
          ...options,
        });
        changed();
        return stored;
      },
      discard: (fileId) => void discard(fileId).catch(({ message }: Error) => toast(message, 'failed')),
      store: { read: () => drafts.read(key), write: (text) => drafts.write(key, text) },
    });
    opened.add(takePending(cache, { chatId }));
    // It uploads as long as it is open, so it is opened where it is closed.
    // oxlint-disable-next-line react/set-state-in-effect
    setAttachments(opened);
    return () => keepPending(cache, { chatId }, opened.close());
  }, [api, session, orgId, cache, drafts, toast, chatId]);
  return { attachments, list: useUploadList(attachments) };
}

/** Returns the files beside the first message of a chat that is not made yet: they are uploaded once it is. */
export function useFirstAttachments(): Attaching {
  const [orgId, cache] = [useOrgId(), useQueryClient()];
  const [attachments, setAttachments] = useState<Uploads>();
  useEffect(() => {
    const opened = new Uploads({
      maxFiles: MAX_FILES,
      discard: () => undefined,
    });
    opened.add(takePending(cache, { orgId }));
    // It holds files as long as it is open, so it is opened where it is closed.
    // oxlint-disable-next-line react/set-state-in-effect
    setAttachments(opened);
    return () => keepPending(cache, { orgId }, opened.close());
  }, [orgId, cache]);
  return { attachments, list: useUploadList(attachments) };
}
