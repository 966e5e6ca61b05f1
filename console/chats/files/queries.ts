import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { pageOf } from '../../core/http/api-client.ts';
import { useSend } from '../../core/http/use-answer.ts';
import { problemOfBody } from '../../core/http/problem.ts';
import { useApi, useOrgId } from '../../core/session/session-context.tsx';
import type { components } from '../../openapi.ts';

export type ChatFile = components['schemas']['ChatFile'];
export type WorkspaceEntry = components['schemas']['WorkspaceEntry'];

/** Where the bytes of a file are: among the files of a chat, or in its workspace. */
export type FileSource =
  | { readonly chatId: string; readonly fileId: string }
  | { readonly chatId: string; readonly path: string };

const LIMIT = 200;
/** As much of a file is read to show it; the whole is there to download. */
export const PREVIEW_BYTES = 200_000;

/** Returns the key of what is known of a chat's files. */
export function filesKey(orgId: string, chatId: string) {
  return [orgId, 'chats', 'files', chatId] as const;
}

/** Returns the files that were added to a chat; they are asked for only while something shows them. */
export function useChatFiles(chatId: string, isWanted = true): UseQueryResult<{ items: ChatFile[]; total: number }> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: filesKey(orgId, chatId),
    enabled: isWanted,
    queryFn: async ({ signal }) =>
      pageOf(
        api.GET('/api/chats/{chat_id}/files', {
          params: { path: { chat_id: chatId }, query: { limit: LIMIT } },
          signal,
        }),
      ),
  });
}

/** Returns what is in a folder of a chat's workspace; '' is the workspace itself. */
export function useWorkspace(
  chatId: string,
  folder: string,
): UseQueryResult<{ items: WorkspaceEntry[]; total: number }> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'chats', 'workspace', chatId, folder],
    queryFn: async ({ signal }) =>
      pageOf(
        api.GET('/api/chats/{chat_id}/workspace', {
          params: { path: { chat_id: chatId }, query: { limit: LIMIT, ...(folder !== '' && { folder }) } },
          signal,
        }),
      ),
  });
}

/** Returns a file whose content does not change, such as one that was attached. */
export function useWholeFile(source: FileSource): UseQueryResult<Blob> {
  const read = useReadFile();
  const isFixed = 'fileId' in source;
  return useQuery({
    queryKey: [useOrgId(), 'file', source],
    queryFn: async () => read(source),
    staleTime: isFixed ? Number.POSITIVE_INFINITY : 0,
    gcTime: 60_000,
  });
}

/** A larger file is not read by itself to be shown in a message. */
const MAX_SMALL_BYTES = 5_000_000;

/** Returns a file of the workspace as it is now; null when it is too large to be read without being asked for. */
export function useSmallFile(source: FileSource): UseQueryResult<Blob | null> {
  const read = useReadFile();
  return useQuery({
    queryKey: [useOrgId(), 'file', source, 'small'],
    queryFn: async () => {
      const content = await read(source, MAX_SMALL_BYTES + 1);
      return content.size > MAX_SMALL_BYTES ? null : content;
    },
    gcTime: 60_000,
  });
}

/** The first characters of a file; `text` is null when it holds none. */
interface FileHead {
  readonly text: string | null;
  readonly isWhole: boolean;
}

/** Returns the text of a file, as far as a preview shows it. */
export function useFileHead(source: FileSource): UseQueryResult<FileHead> {
  const read = useReadFile();
  return useQuery({
    queryKey: [useOrgId(), 'file', source, 'head'],
    queryFn: async () => {
      const content = await read(source, PREVIEW_BYTES);
      return { text: textOf(await content.arrayBuffer()), isWhole: content.size < PREVIEW_BYTES };
    },
    gcTime: 60_000,
  });
}

// A character that was cut off at the end is left out.
function textOf(bytes: ArrayBuffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** Returns what reads a file, or its first bytes; it throws a `Problem`. */
export function useReadFile(): (source: FileSource, bytes?: number) => Promise<Blob> {
  const api = useApi();
  return async (source, bytes) => {
    const options = {
      parseAs: 'blob',
      ...(bytes !== undefined && { headers: { Range: `bytes=0-${bytes - 1}` } }),
    } as const;
    const { data, error, response } =
      'fileId' in source
        ? await api.GET('/api/chats/{chat_id}/files/{file_id}/content', {
            params: { path: { chat_id: source.chatId, file_id: source.fileId } },
            ...options,
          })
        : await api.GET('/api/chats/{chat_id}/workspace/{path}', {
            params: { path: { chat_id: source.chatId, path: source.path } },
            ...options,
          });
    // A range of an empty file cannot be satisfied.
    if (response.status === 416) return new Blob([]);
    if (!response.ok || data === undefined) throw problemOfBody(response, error);
    return data;
  };
}

/** Returns what deletes a file of a chat. */
export function useDeleteFile(chatId: string) {
  return useSend(
    async (api, fileId: string) =>
      api.DELETE('/api/chats/{chat_id}/files/{file_id}', { params: { path: { chat_id: chatId, file_id: fileId } } }),
    { reads: [['chats', 'files', chatId]] },
  );
}
