import { requireRoomForUpload } from '../../db/files/uploads.ts';
import type { StoredFile } from '../../db/files/files.ts';
import type { Membership } from '../../domain/orgs.ts';
import { EmptyFileError, storeUpload as store, type Upload } from '../../files/store-upload.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';
import type { FileReply } from '../http/replies/file-reply.ts';

type UploadContext = Pick<ApiContext, 'database' | 'files' | 'orgLimits' | 'log'>;

/** Checks that the owner's organizations have room for a file at all, before any byte of it is read. */
export async function requireRoomForUploads({ database, orgLimits }: UploadContext, owner: Membership): Promise<void> {
  await requireRoomForUpload(database, owner, { size: 1, maxBytes: orgLimits.uploadBytes });
}

/** Stores the file of a request while it arrives. When this fails, nothing of it stays. */
export async function storeUpload(context: UploadContext, upload: Upload): Promise<StoredFile> {
  try {
    return await store(context, upload);
  } catch (error) {
    if (!(error instanceof EmptyFileError)) throw error;
    throw new InvalidRequest([{ type: 'too_small', loc: ['body', 'file'], msg: error.message }]);
  }
}

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
