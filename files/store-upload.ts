import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Database } from '../db/core/database.ts';
import type { StoredFile } from '../db/files/files.ts';
import { abandonUpload, beginUpload, finishUpload } from '../db/files/uploads.ts';
import type { Membership, OrgLimits } from '../domain/orgs.ts';
import type { FileStores } from './file-stores.ts';
import { mediaTypeOf, SAMPLE_BYTES } from './media-type.ts';

/** The dependencies of storing uploads. */
export interface UploadDeps {
  readonly database: Database;
  readonly files: FileStores;
  readonly orgLimits: Pick<OrgLimits, 'uploadBytes'>;
  readonly log: Logger;
}

/** A file while it arrives. */
interface ArrivingFile {
  /** As its sender calls it. */
  readonly name: string;
  readonly bytes: AsyncIterable<Buffer>;
}

/** A file to store, and whose it is. */
export interface Upload {
  readonly owner: Membership;
  /** The chat that it is for; null for a document of a knowledge base. */
  readonly chatId: string | null;
  readonly file: ArrivingFile;
  /**
   * Called with the type of the file and its first bytes, before any are stored: throws when such a file is not taken.
   */
  readonly check?: (mediaType: string, sample: Buffer) => void;
  /** Called once the bytes have arrived, before the file is there: their sender may have lost the right to add it. */
  readonly confirm?: () => Promise<unknown>;
  /**
   * Notes what the file is for, in the transaction that ends the upload. Returns the id of the document that it
   * becomes; null for none.
   */
  readonly attach?: (em: EntityManager, fileId: string) => Promise<string | null>;
}

/** An upload has no byte. */
export class EmptyFileError extends Error {
  override readonly name = 'EmptyFileError';

  constructor() {
    super('the file is empty');
  }
}

/**
 * Stores a file while it arrives; throws `EmptyFileError` for one without a byte. When it fails, nothing of it stays.
 */
export async function storeUpload(
  { database, files, orgLimits, log }: UploadDeps,
  { owner, chatId, file, check, confirm, attach }: Upload,
): Promise<StoredFile> {
  const content = await beginReading(file.bytes);
  const mediaType = await mediaTypeOf(content.sample, file.name);
  check?.(mediaType, content.sample);
  const store = files.current;
  const begun = await beginUpload(database, owner, { chatId, name: file.name, mediaType, store: store.name });
  try {
    await store.write(begun, content.bytes());
    await confirm?.();
    return await finishUpload(database, begun, {
      size: content.size(),
      mediaType,
      maxBytes: orgLimits.uploadBytes,
      attach: attach && (async (em) => attach(em, begun.fileId)),
    });
  } catch (error) {
    await abandonUpload(database, begun).catch((failure: unknown) => {
      log.warn({ err: failure, ...begun }, 'what is there of a failed upload is left to the housekeeping');
    });
    throw error;
  }
}

/** Reads the beginning of a file, from which its type is detected; throws when the file is empty. */
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
  if (size === 0) throw new EmptyFileError();
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
