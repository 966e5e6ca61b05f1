import type { StoredFile } from '../../db/files/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import type { FileReply } from '../http/replies/file-reply.ts';

/** Sends a stored file, or the part of it that is asked for, as one of the downloads that its reader may have. */
export async function sendStoredFile(
  { files, downloads }: Pick<ApiContext, 'files' | 'downloads'>,
  caller: OrgCaller,
  reply: FileReply,
  file: StoredFile,
): Promise<void> {
  const leave = downloads.acquire(caller);
  try {
    const { id: fileId, pathName: name, mediaType, size } = file;
    const ref = { orgId: caller.orgId, fileId };
    await reply.send({ tag: fileId, name, mediaType, size, read: (range) => files.of(file).read(ref, range) });
  } finally {
    leave();
  }
}
