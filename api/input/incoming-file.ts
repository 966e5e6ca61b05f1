import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Request } from 'express';
import { AppError } from '../../domain/core/app-error.ts';
import { formatBytes, toStorableText } from '../../domain/core/text.ts';
import { InvalidRequest } from '../http/problem.ts';
import { allowTime } from '../limits/body-time.ts';

/** A file while it arrives. */
export interface IncomingFile {
  /** As its sender calls it. */
  readonly name: string;
  /**
   * Its bytes. They end when the whole request has arrived and was found to be right; if it is not, reading them throws
   * the failure that its sender gets.
   */
  readonly bytes: AsyncIterable<Buffer>;
}

/** The bounds of a file that a route accepts. */
export interface FileBounds {
  readonly maxBytes: number;
  /**
   * Whether the file is buffered in memory until it has arrived whole, as other bodies are: then it counts as one of
   * them, and has no more time than they have.
   */
  readonly isBuffered?: boolean;
}

/** The name of the part that contains the file. */
const PART = 'file';
const MAX_NAME_CHARACTERS = 255;
/** How many bytes a form may have beside its file. */
const MAX_FORM_BYTES = 64 * 1024;
/** How long a file that is not buffered may take to arrive, and how long it may stall, in milliseconds. */
const MAX_TIME_MS = 15 * 60_000;
const MAX_STALL_MS = 30_000;

/**
 * Receives the file of a multipart form, or a body of the given media type as the file. `take` reads it while it
 * arrives, so that no file is ever in memory as a whole. When reading fails, `take` must remove what it has stored. A
 * form with anything but one part `file` is rejected.
 */
export async function receiveFile<T>(
  request: Request,
  { maxBytes, isBuffered = false, mediaType }: FileBounds & { readonly mediaType: string | undefined },
  take: (file: IncomingFile) => Promise<T>,
): Promise<T> {
  if (mediaType !== undefined && typeof request.is(mediaType) === 'string')
    return take({ name: '', bytes: rawBytes(request, maxBytes) });
  const length = Number(request.headers['content-length'] ?? 0);
  if (length === 0 && request.headers['transfer-encoding'] === undefined) throw missingFile();
  if (request.is('multipart/form-data') === false || request.headers['content-encoding'] !== undefined)
    throw wrongType(mediaType);
  if (length > maxBytes + MAX_FORM_BYTES) throw tooLarge(maxBytes);
  if (!isBuffered) allowTime(request, MAX_TIME_MS);
  const form = new Form(request, maxBytes);
  try {
    return await take(await form.file());
  } finally {
    form.close();
  }
}

/** A multipart form while it arrives. */
class Form {
  readonly #request: Request;
  readonly #parser: InstanceType<typeof Busboy>;
  readonly #found = Promise.withResolvers<IncomingFile>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #maxBytes: number;
  #stream: BusboyFileStream | undefined;
  #fault: Error | undefined;
  #stalled: NodeJS.Timeout | undefined;

  constructor(request: Request, maxBytes: number) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.#parser = createParser(request, maxBytes);
    // Each of them may be rejected while nobody waits for it.
    this.#found.promise.catch(() => undefined);
    this.#ended.promise.catch(() => undefined);
  }

  /** Begins to read, and returns the file once its head has arrived. */
  async file(): Promise<IncomingFile> {
    const request = this.#request;
    const parser = this.#parser;
    // A part need not have a name, whatever the types say.
    parser.on('file', (part: string | undefined, stream, name) => this.#begin(part, stream, name));
    parser.on('field', (part: string | undefined) => this.#fail(fieldIssue(part)));
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      parser.on(limit, () => this.#fail(partIssue('the form must have one part only')));
    parser.on('error', () => this.#fail(partIssue('the form is malformed or was cut off')));
    parser.on('finish', () => {
      this.#found.reject(missingFile());
      this.#ended.resolve();
    });
    request.on('close', this.#onClose).on('data', this.#onData);
    this.#onData();
    request.pipe(parser);
    return this.#found.promise;
  }

  /** Reads no more of it. */
  close(): void {
    clearTimeout(this.#stalled);
    this.#request.off('close', this.#onClose).off('data', this.#onData);
    this.#request.unpipe(this.#parser);
    // The rest of the body is dropped.
    this.#request.resume();
    this.#stream?.destroy();
  }

  readonly #onClose = () => {
    if (!this.#request.complete) this.#fail(partIssue('the request was cut off'));
  };

  readonly #onData = () => {
    clearTimeout(this.#stalled);
    this.#stalled = setTimeout(() => this.#fail(partIssue('the file arrives too slowly')), MAX_STALL_MS);
  };

  #begin(part: string | undefined, stream: BusboyFileStream, name: string | undefined): void {
    const fault = this.#stream === undefined ? nameIssue(part, name) : partIssue('the form must have one part only');
    if (fault !== undefined) {
      stream.on('error', () => undefined).resume();
      this.#fail(fault);
      return;
    }
    this.#stream = stream;
    // Whoever reads it sees the fault, and nobody may be reading yet.
    stream.on('error', () => undefined);
    stream.on('limit', () => this.#fail(tooLarge(this.#maxBytes)));
    this.#found.resolve({ name: toStorableText(name ?? ''), bytes: this.#bytesOf(stream) });
  }

  async *#bytesOf(stream: BusboyFileStream): AsyncGenerator<Buffer, void, undefined> {
    try {
      for await (const chunk of stream) {
        this.#rejectFaulty();
        yield chunk as Buffer;
      }
    } catch (error) {
      throw this.#fault ?? error;
    }
    // Other parts may follow.
    await this.#ended.promise;
    this.#rejectFaulty();
  }

  #rejectFaulty(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  // The first fault counts: others may follow from it.
  #fail(fault: Error): void {
    this.#fault ??= fault;
    this.#found.reject(this.#fault);
    this.#ended.reject(this.#fault);
    this.#stream?.destroy(this.#fault);
  }
}

function createParser(request: Request, maxBytes: number): InstanceType<typeof Busboy> {
  // One more than is allowed of each, so that the surplus one is seen.
  const limits = { parts: 3, files: 2, fields: 1, fieldSize: 1024, headerPairs: 20, headerSize: 8192 };
  const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' };
  try {
    return new Busboy({ headers, preservePath: true, limits: { ...limits, fileSize: maxBytes } });
  } catch {
    throw partIssue('the form has no boundary');
  }
}

function nameIssue(part: string | undefined, name: string | undefined): Error | undefined {
  if (part !== PART) return otherPart(part);
  if (name === undefined || name.trim() === '') return partIssue('the part must have a filename');
  if (name.length > MAX_NAME_CHARACTERS)
    return partIssue(`the filename must not have more than ${MAX_NAME_CHARACTERS} characters`);
  return undefined;
}

function fieldIssue(part: string | undefined): Error {
  return part === PART ? partIssue('the part must be a file, with a filename') : otherPart(part);
}

function otherPart(part: string | undefined): Error {
  if (part === undefined) return partIssue('each part must have a name');
  const loc = ['body', toStorableText(part)];
  return new InvalidRequest([{ type: 'extra_forbidden', loc, msg: 'this field does not exist' }]);
}

function missingFile(): InvalidRequest {
  return partIssue(`a part "${PART}" with the file is needed`, 'missing');
}

function partIssue(msg: string, type = 'invalid_file'): InvalidRequest {
  return new InvalidRequest([{ type, loc: ['body', PART], msg }]);
}

function wrongType(mediaType: string | undefined): AppError {
  const form = `multipart/form-data with a part "${PART}"`;
  const types = mediaType === undefined ? form : `${form}, or by itself as ${mediaType}`;
  return new AppError('unsupported_media_type', `The file must be sent as ${types}, without a content encoding`);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too_large', `A file must not exceed ${formatBytes(maxBytes)}`);
}

/** Yields the body of a request that is a file as a whole; throws the failure that its sender gets. */
async function* rawBytes(request: Request, maxBytes: number): AsyncGenerator<Buffer, void, undefined> {
  if (request.headers['content-encoding'] !== undefined)
    throw new AppError('unsupported_media_type', 'The file must be sent without a content encoding');
  let received = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new InvalidRequest([{ type: 'invalid_file', loc: ['body'], msg: 'the request was cut off' }]);
  } finally {
    // The rest of the body is dropped.
    request.resume();
  }
}
