import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useState } from 'react';
import { useDrafts } from '../../core/drafts.ts';
import { answerOf } from '../../core/http/api-client.ts';
import { uploadFile } from '../../core/http/upload-file.ts';
import { useApi, useOrgId, useSession } from '../../core/session/session-context.tsx';
import { useUploadList } from '../../ui/files/files.tsx';
import { type Upload, Uploads } from '../../ui/files/uploads.ts';
import { useToast } from '../../ui/overlays/toast.tsx';
import { useChatsText } from '../text.ts';
import { type ChatFile, filesKey } from './queries.ts';

/** The files that a message may have. */
const MAX_FILES = 20;

/** What is attached to the message that is being written; `attachments` is undefined until the chat is open. */
interface Attaching {
  readonly attachments: Uploads | undefined;
  readonly list: readonly Upload[];
}

/** Returns the files beside the message that is being written in a chat. */
export function useAttachments(chatId: string): Attaching {
  const [api, session, orgId, cache] = [useApi(), useSession(), useOrgId(), useQueryClient()];
  const [drafts, toast] = [useDrafts(), useToast()];
  const [attachments, setAttachments] = useState<Uploads>();
  // Before the first paint, so that the button that attaches is there with the field.
  useLayoutEffect(() => {
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

/** Where the files of a message are added: a chat, by its id, or the first message in an organization. */
type Target = { readonly chatId: string } | { readonly orgId: string };

const NONE: readonly File[] = [];

/**
 * Takes the files that were added there before and are not uploaded yet. They are in memory, so they outlast the page
 * that they were added on, but no reload: a browser gives a file to nobody anew.
 */
function takePending(cache: QueryClient, target: Target): readonly File[] {
  const files = cache.getQueryData<readonly File[]>(keyOf(target)) ?? NONE;
  cache.removeQueries({ queryKey: keyOf(target), exact: true });
  return files;
}

/** Keeps files that are not uploaded yet for whoever goes on with their message. */
export function keepPending(cache: QueryClient, target: Target, files: readonly File[]): void {
  if (files.length > 0) cache.setQueryData(keyOf(target), files);
}

function keyOf(target: Target) {
  return ['chats', 'pending files', target] as const;
}

/** Returns the files beside the first message of a chat that is not made yet: they are uploaded once it is. */
export function useFirstAttachments(): Attaching {
  const [orgId, cache] = [useOrgId(), useQueryClient()];
  const [attachments, setAttachments] = useState<Uploads>();
  useLayoutEffect(() => {
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

/** Returns what attaches files to the message that is being written, and says how many it has no place for. */
export function useAttachFiles({ attachments }: Attaching): ((files: readonly File[]) => void) | undefined {
  const text = useChatsText().files;
  const toast = useToast();
  if (attachments === undefined) return undefined;
  return (files) => {
    const rejected = attachments.add(files);
    if (rejected > 0) toast(text.tooMany(rejected), 'failed');
  };
}
