import {
  abandonUpload,
  beginUpload,
  type ChatFile,
  finishUpload,
  requireChatForFiles,
  requireRoomForUpload,
} from '../../db/files/index.ts';
import type { Membership } from '../../domain/orgs/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';
import type { IncomingFile } from '../input/incoming-file.ts';
import { mediaTypeOf, SAMPLE_BYTES } from './media-type.ts';

type UploadContext = Pick<ApiContext, 'database' | 'files' | 'orgLimits' | 'log'>;

interface IncomingUpload {
  readonly owner: Membership;
  readonly chatId: string;
  readonly file: IncomingFile;
  /** Called once the bytes have arrived, before the file is there: their sender may have lost the right to add it. */
  readonly confirm: () => Promise<unknown>;
}

/** Checks that a chat takes a file of this user, before any byte of it is read. */
export async function requireUploadable(
  { database, orgLimits }: UploadContext,
  owner: Membership,
  chatId: string,
): Promise<void> {
  await requireChatForFiles(database, owner, chatId);
  await requireRoomForUpload(database, owner, { size: 1, maxBytes: orgLimits.uploadBytes });
}

/** Stores a file while it arrives. When this fails, nothing of it stays. */
export async function storeUpload(context: UploadContext, upload: IncomingUpload): Promise<ChatFile> {
  const { database, files, orgLimits, log } = context;
  const { owner, chatId, file, confirm } = upload;
  const content = await beginReading(file.bytes);
  const mediaType = await mediaTypeOf(content.sample, file.name);
  const store = files.current;
  const begun = await beginUpload(database, owner, { chatId, name: file.name, mediaType, store: store.name });
  try {
    await store.write(begun, content.bytes());
    await confirm();
    const end = { size: content.size(), mediaType, maxBytes: orgLimits.uploadBytes };
    return await finishUpload(database, begun, end);
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
