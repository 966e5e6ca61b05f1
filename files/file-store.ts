/** A file whose bytes are kept. */
export interface FileRef {
  readonly orgId: string;
  readonly fileId: string;
}

/** A part of a file: the first byte and the last one, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Stores the bytes of files. None of its operations keeps more of a file in memory than a chunk. */
export interface FileStore {
  /** The name that records know it by. */
  readonly name: string;
  /** Stores the bytes of a file. What is there when it throws goes with the record of the file. */
  write(file: FileRef, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Yields a part of a file, in order. Throws `FileGone` when the file has been removed. */
  read(file: FileRef, range: ByteRange): AsyncGenerator<Buffer, void, undefined>;
  /** Removes the bytes of a file whose record is gone. Harmless to repeat. */
  remove(file: FileRef): Promise<void>;
}

/** The bytes of a file are no longer there. */
export class FileGone extends Error {
  override readonly name = 'FileGone';

  constructor() {
    super('the file has been removed');
  }
}

/** Yields the same bytes in chunks of one size; only the last one may be smaller. */
export async function* rechunk(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer, void, undefined> {
  let buffered: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let rest = chunk;
    while (length + rest.length >= size) {
      const taken = size - length;
      yield Buffer.concat([...buffered, rest.subarray(0, taken)]);
      rest = rest.subarray(taken);
      buffered = [];
      length = 0;
    }
    if (rest.length > 0) buffered.push(rest);
    length += rest.length;
  }
  if (length > 0) yield Buffer.concat(buffered);
}
