import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { create as contentDisposition } from 'content-disposition';
import type { Request, Response } from 'express';
import { AppError } from '../../../domain/core/app-error.ts';
import type { UnsentAnswers } from '../../limits/unsent-answers.ts';

interface SentFile {
  /** Changes with the content. */
  readonly tag: string;
  /** The name under which it is saved. */
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  /** Returns the bytes from `start` to `end`, both included, or yields them in chunks. */
  read(range: { readonly start: number; readonly end: number }): Buffer | AsyncIterable<Buffer>;
}

/** How long a reader may take nothing, in milliseconds. */
const MAX_STALL_MS = 60_000;

/**
 * A response that is a file, or the part of it that the request asks for. It is always an attachment: whatever it
 * contains, a browser saves it and does not show it as a page of this service.
 */
export class FileReply {
  readonly #request: Request;
  readonly #response: Response;
  readonly #unsent: UnsentAnswers;

  constructor(request: Request, response: Response, unsent: UnsentAnswers) {
    this.#request = request;
    this.#response = response;
    this.#unsent = unsent;
  }

  /**
   * Sends the file, as fast as its reader takes it; nothing of it to a reader that has it already (`If-None-Match`).
   */
  async send({ tag, name, mediaType, size, read }: SentFile): Promise<void> {
    const response = this.#response;
    const etag = `"${tag}"`;
    response.setHeader('ETag', etag);
    response.setHeader('Accept-Ranges', 'bytes');
    if (this.#isKnown(etag)) {
      response.status(304).end();
      return;
    }
    const range = this.#requestedRange(size, etag);
    const { start, end } = range ?? { start: 0, end: size - 1 };
    response.status(range === undefined ? 200 : 206);
    if (range !== undefined) response.setHeader('Content-Range', `bytes ${start}-${end}/${size}`);
    response.setHeader('Content-Type', mediaType);
    response.setHeader('Content-Length', end - start + 1);
    response.setHeader('Content-Disposition', contentDisposition(name));
    response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
    if (this.#request.method === 'HEAD') response.end();
    else await this.#write(read({ start, end }));
  }

  // Express would not answer 304 to the `fetch` of browsers and Node.js: with this header it sends
  // `Cache-Control: no-cache`.
  #isKnown(etag: string): boolean {
    const known = this.#request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    return known?.some((tag) => tag === etag || tag === '*') ?? false;
  }

  // A range that is malformed, or one of several parts, is answered with the whole file, as RFC 9110 allows.
  #requestedRange(size: number, etag: string): { start: number; end: number } | undefined {
    const condition = this.#request.headers['if-range'];
    if (condition !== undefined && condition !== etag) return undefined;
    const ranges = this.#request.range(size, { combine: true });
    if (ranges === -1) {
      this.#response.setHeader('Content-Range', `bytes */${size}`);
      throw new AppError('range_not_satisfiable', `The file has ${size} bytes`);
    }
    if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length > 1) return undefined;
    return ranges[0];
  }

  async #write(bytes: Buffer | AsyncIterable<Buffer>): Promise<void> {
    const response = this.#response;
    response.setTimeout(MAX_STALL_MS, () => response.destroy());
    try {
      if (bytes instanceof Buffer) {
        response.end(bytes);
        this.#unsent.track(response);
        await finished(response);
      } else await pipeline(Readable.from(bytes, { objectMode: false }), response);
    } catch (error) {
      // Whoever reads has gone, which is nobody's fault.
      if (!isPrematureClose(error)) throw error;
    }
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
