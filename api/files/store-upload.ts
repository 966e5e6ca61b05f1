import type { EntityManager } from '@mikro-orm/postgresql';
import {
  abandonUpload,
  beginUpload,
  finishUpload,
  requireRoomForUpload,
  type StoredFile,
} from '../../db/files/index.ts';
import type { Membership } from '../../domain/orgs/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';
import type { IncomingFile } from '../input/incoming-file.ts';
import { mediaTypeOf, SAMPLE_BYTES } from './media-type.ts';

type UploadContext = Pick<ApiContext, 'database' | 'files' | 'orgLimits' | 'log'>;

interface IncomingUpload {
  readonly owner: Membership;
  /** The chat that it is for; null for a document of a knowledge base. */
  readonly chatId: string | null;
  readonly file: IncomingFile;
  /**
   * Called with the type of the file and its first bytes, before any are stored: throws when such a file is not taken.
   */
  readonly check?: (mediaType: string, sample: Buffer) => void;
  /** Called once the bytes have arrived, before the file is there: their sender may have lost the right to add it. */
  readonly confirm: () => Promise<unknown>;
  /** Adds the document that the file is for, in the transaction that ends the upload, and returns its id. */
  readonly addDocument?: (em: EntityManager, fileId: string) => Promise<string>;
}

/** Checks that the owner's organizations have room for a file at all, before any byte of it is read. */
export async function requireRoomForUploads({ database, orgLimits }: UploadContext, owner: Membership): Promise<void> {
  await requireRoomForUpload(database, owner, { size: 1, maxBytes: orgLimits.uploadBytes });
}

/** Stores a file while it arrives. When this fails, nothing of it stays. */
export async function storeUpload(context: UploadContext, upload: IncomingUpload): Promise<StoredFile> {
  const { database, files, orgLimits, log } = context;
  const { owner, chatId, file, check, confirm, addDocument } = upload;
  const content = await beginReading(file.bytes);
  const mediaType = await mediaTypeOf(content.sample, file.name);
  check?.(mediaType, content.sample);
  const store = files.current;
  const begun = await beginUpload(database, owner, { chatId, name: file.name, mediaType, store: store.name });
  try {
    await store.write(begun, content.bytes());
    await confirm();
    return await finishUpload(database, begun, {
      size: content.size(),
      mediaType,
      maxBytes: orgLimits.uploadBytes,
      addDocument: addDocument && (async (em) => addDocument(em, begun.fileId)),
    });
  } catch (error) {
    await abandonUpload(database, begun).catch((failure: unknown) => {
      log.warn({ err: failure, ...begun }, 'what is there of a failed upload is left to the housekeeping');
    });
    throw error;
  }
}

/** Reads the beginning of a file, by which its type is told; throws when the file is empty. */
async function beginReading(bytes: AsyncIterable<Buffer>) {
  const rest = bytes[Symbol.asyncIterator]();
  const begun: Buffer[] = [];
  let size = 0;
  while (size < SAMPLE_BYTES) {
    const { value, done } = await rest.next();
    if (done === true) break;
    begun.push(value);
    size += value.length;
  }
  if (size === 0) throw new InvalidRequest([{ type: 'too_small', loc: ['body', 'file'], msg: 'the file is empty' }]);
  return {
    sample: Buffer.concat(begun).subarray(0, SAMPLE_BYTES),
    size: () => size,
    bytes: async function* all(): AsyncGenerator<Buffer, void, undefined> {
      yield* begun.splice(0);
      for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
        size += next.value.length;
        yield next.value;
      }
    },
  };
}
