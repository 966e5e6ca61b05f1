import type { TenantDatabase } from '../../../db/core/database.ts';
import { listUploads, type UploadedFile } from '../../../db/files/files.ts';
import { readTextChunk } from '../../../db/files/texts.ts';
import { textNameOf } from '../../../domain/files.ts';
import { FileGone } from '../../../files/file-store.ts';
import type { FileStores } from '../../../files/file-stores.ts';
import { retryWhileDatabaseUnavailable } from '../../core/passing-error.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ListUploads, Upload } from '../workspace/with-uploads.ts';

interface UploadDeps {
  readonly database: TenantDatabase;
  readonly files: FileStores;
}

/** Returns how the uploads of a chat are found: each file, and its text where that is stored separately. */
export function chatUploads(
  deps: UploadDeps,
  chat: { readonly orgId: string; readonly chatId: string },
  ended: AbortSignal,
): ListUploads {
  return async () => {
    const files = await retryWhileDatabaseUnavailable(ended, async () => listUploads(deps.database, chat));
    return files.flatMap((file) => {
      const whole = {
        name: file.pathName,
        size: file.size,
        addedAt: file.createdAt,
        read: bytesOf(deps, chat.orgId, file),
      };
      return file.hasTextApart ? [whole, textOf(deps, chat.orgId, file)] : [whole];
    });
  };
}

function bytesOf({ files }: UploadDeps, orgId: string, file: UploadedFile): Upload['read'] {
  return async function* read(signal) {
    try {
      for await (const chunk of files.of(file).read({ orgId, fileId: file.id }, { start: 0, end: file.size - 1 })) {
        signal.throwIfAborted();
        yield chunk;
      }
    } catch (error) {
      if (!(error instanceof FileGone)) throw error;
      throw new ToolFailure('not_found', 'The file has just been deleted', { cause: error });
    }
  };
}

function textOf({ database }: UploadDeps, orgId: string, file: UploadedFile): Upload {
  return {
    name: textNameOf(file.pathName),
    size: file.textCharacters ?? 0,
    addedAt: file.createdAt,
    read: async function* read(signal) {
      for (let seq = 0; ; seq += 1) {
        signal.throwIfAborted();
        const chunk = await retryWhileDatabaseUnavailable(signal, async () =>
          readTextChunk(database, { orgId, fileId: file.id }, seq),
        );
        if (chunk === undefined) return;
        yield Buffer.from(chunk);
      }
    },
  };
}
