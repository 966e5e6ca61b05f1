import { readSmallContents, ROW_STORE, type SnapshotContent } from '../../db/workspaces/contents.ts';
import { toPathName } from '../../domain/files.ts';
import type { Membership } from '../../domain/orgs.ts';
import type { ApiContext } from '../context/api-context.ts';
import type { FileReply } from '../http/replies/file-reply.ts';

/** The media type of all of them: agents write anything. */
export const WORKSPACE_FILE = 'application/octet-stream';
const EMPTY_TAG = 'empty';

interface SentWorkspaceFile {
  readonly name: string;
  readonly size: number;
  /** Null for an empty one. */
  readonly content: SnapshotContent | null;
}

/** Sends a file of a workspace, or the requested part of it, as one of the downloads that its reader may have. */
export async function sendWorkspaceFile(
  context: Pick<ApiContext, 'database' | 'files' | 'downloads'>,
  reader: Membership,
  reply: FileReply,
  { name, size, content }: SentWorkspaceFile,
): Promise<void> {
  const leave = context.downloads.acquire(reader);
  try {
    await reply.send({
      tag: content?.digest ?? EMPTY_TAG,
      name: toPathName(name),
      mediaType: WORKSPACE_FILE,
      size,
      read: contentReader(context, reader.orgId, content),
    });
  } finally {
    leave();
  }
}

function contentReader(
  { database, files }: Pick<ApiContext, 'database' | 'files'>,
  orgId: string,
  content: SnapshotContent | null,
) {
  return async function* read({ start, end }: { readonly start: number; readonly end: number }) {
    if (content === null) return;
    if (content.store !== ROW_STORE) {
      yield* files.ofWorkspaces.of(content).read({ orgId, fileId: content.id }, { start, end });
      return;
    }
    const bytes = (await readSmallContents(database, orgId, [content.id])).get(content.id);
    if (bytes === undefined) throw new Error('the content of a workspace was removed while it was sent');
    yield bytes.subarray(start, end + 1);
  };
}
