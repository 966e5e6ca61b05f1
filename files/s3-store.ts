import type { CompletedPart, S3 } from '@aws-sdk/client-s3';
import { AppError } from '../domain/core/app-error.ts';
import type { FilesLocation } from '../domain/files.ts';
import { type ByteRange, FileGone, type FileRef, type FileStore, rechunk } from './file-store.ts';

/** The least size of every part of an upload but its last, which S3 asks for. */
const PART_BYTES = 5 * 1024 ** 2;
const RETRY_AFTER_SECONDS = 5;

/** Keeps files in a storage that speaks S3, each under the ids of its organization and its own. */
export class S3Store implements FileStore {
  readonly name = 's3';
  readonly #s3: S3;
  readonly #location: FilesLocation;

  private constructor(s3: S3, location: FilesLocation) {
    this.#s3 = s3;
    this.#location = location;
  }

  /** Opens the storage. Nothing is asked of it yet. The library takes 20 MB, so it is loaded where it is used. */
  static async open(location: FilesLocation): Promise<S3Store> {
    const library = await import('@aws-sdk/client-s3');
    const { endpoint, region } = location;
    const client = new library.S3({
      region,
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      // Several servers do not know the newer ones.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 5_000, requestTimeout: 30_000 },
    });
    return new S3Store(client, location);
  }

  async write(file: FileRef, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const upload = new PartedUpload(this.#s3, this.#at(file));
    try {
      for await (const part of rechunk(bytes, PART_BYTES)) await inWords(async () => upload.add(part));
      await inWords(async () => upload.complete());
    } catch (error) {
      await upload.abort();
      throw error;
    }
  }

  async *read(file: FileRef, { start, end }: ByteRange): AsyncGenerator<Buffer, void, undefined> {
    const { Body: body } = await inWords(async () =>
      this.#s3.getObject({ ...this.#at(file), Range: `bytes=${start}-${end}` }),
    );
    if (body === undefined) throw new FileGone();
    // In Node it is a readable stream.
    for await (const chunk of body as unknown as AsyncIterable<Buffer>) yield chunk;
  }

  async remove(file: FileRef): Promise<void> {
    await inWords(async () => this.#s3.deleteObject(this.#at(file))).catch((error: unknown) => {
      // Some storages answer so to the removal of what is not there.
      if (!(error instanceof FileGone)) throw error;
    });
  }

  #at({ orgId, fileId }: FileRef) {
    const { bucket, prefix } = this.#location;
    return { Bucket: bucket, Key: `${prefix}${orgId}/${fileId}` };
  }
}

interface ObjectName {
  readonly Bucket: string;
  readonly Key: string;
}

/** An upload in parts, or a single request when there is only one part. */
class PartedUpload {
  readonly #s3: S3;
  readonly #object: ObjectName;
  readonly #parts: CompletedPart[] = [];
  #buffered: Buffer | undefined;
  #id: string | undefined;

  constructor(s3: S3, object: ObjectName) {
    this.#s3 = s3;
    this.#object = object;
  }

  async add(part: Buffer): Promise<void> {
    if (this.#buffered !== undefined) await this.#send(this.#buffered);
    this.#buffered = part;
  }

  async complete(): Promise<void> {
    const last = this.#buffered ?? Buffer.alloc(0);
    if (this.#id === undefined) {
      await this.#s3.putObject({ ...this.#object, Body: last });
      return;
    }
    await this.#send(last);
    const upload = { UploadId: this.#id, MultipartUpload: { Parts: this.#parts } };
    await this.#s3.completeMultipartUpload({ ...this.#object, ...upload });
  }

  /** Ends it without an object. What cannot be removed now is the storage's to expire. */
  async abort(): Promise<void> {
    if (this.#id === undefined) return;
    await this.#s3.abortMultipartUpload({ ...this.#object, UploadId: this.#id }).catch(() => undefined);
  }

  async #send(body: Buffer): Promise<void> {
    this.#id ??= (await this.#s3.createMultipartUpload(this.#object)).UploadId;
    const number = this.#parts.length + 1;
    const part = { UploadId: this.#id, PartNumber: number, Body: body };
    const { ETag: tag } = await this.#s3.uploadPart({ ...this.#object, ...part });
    this.#parts.push({ PartNumber: number, ETag: tag });
  }
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound')) throw new FileGone();
    throw new AppError('unavailable', 'The storage of files is not reachable; try again shortly', {
      cause: error,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}
