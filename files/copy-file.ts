import { abandonUpload, beginUpload, finishUpload, type StoredFile } from '../db/files/index.ts';
import type { Database } from '../db/core/index.ts';
import type { Membership } from '../domain/orgs/index.ts';
import { FileGone } from './file-store.ts';
import type { FileStores } from './file-stores.ts';

interface CopyTarget {
  readonly owner: Membership;
  /** The chat of the owner's that gets the copy. */
  readonly chatId: string;
  /** The bytes that all files of the organization may have. */
  readonly maxBytes: number;
}

/**
 * Copies a file into another chat, piece by piece, and returns the copy; its text is extracted anew. `undefined` when
 * the file has been deleted meanwhile. When it fails, nothing of the copy stays.
 */
export async function copyFile(
  { database, files }: { readonly database: Database; readonly files: FileStores },
  file: StoredFile,
  { owner, chatId, maxBytes }: CopyTarget,
): Promise<StoredFile | undefined> {
  const { name, mediaType, size } = file;
  const store = files.current;
  const begun = await beginUpload(database, owner, { chatId, name, mediaType, store: store.name });
  try {
    const original = { orgId: owner.orgId, fileId: file.id };
    await store.write(begun, files.of(file).read(original, { start: 0, end: size - 1 }));
    return await finishUpload(database, begun, { size, mediaType, maxBytes });
  } catch (error) {
    await abandonUpload(database, begun).catch(() => undefined);
    if (error instanceof FileGone) return undefined;
    throw error;
  }
}
