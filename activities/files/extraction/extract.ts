import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { type CalculatingProcess, startChild } from '../../tools/compute/start-child.ts';
import { type ExtractionJob, ISSUE, MAX_TEXT, SAME_TEXT } from './job.ts';
import { readPlain } from './readers.ts';

const PROGRAM = fileURLToPath(new URL('child.ts', import.meta.url));
const MAX_TIME_MS = 60_000;
/** The longest UTF-8 form of the longest text. */
const MAX_BYTES = 3 * MAX_TEXT + 1_000;

/** The text of a file, or why it has none, for a person, and whether it has ended the process that read it. */
export type Extraction =
  | { readonly text: string; readonly isApart: boolean }
  | { readonly issue: string; readonly hasCrashed?: true };

/**
 * Extracts the text of a file in a process of its own, which is bounded in memory and time and reaches nothing:
 * whatever the file does to it, nothing else is harmed. Throws only when `signal` aborts or the bytes cannot be read.
 */
export async function extract(
  job: ExtractionJob,
  bytes: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<Extraction> {
  signal.throwIfAborted();
  const child = startChild(PROGRAM);
  const limit = AbortSignal.timeout(MAX_TIME_MS);
  const stop = AbortSignal.any([signal, limit]);
  const kill = () => child.kill('SIGKILL');
  stop.addEventListener('abort', kill, { once: true });
  try {
    const ended = once(child, 'exit');
    const [output, [code]] = await Promise.all([readOutput(child), ended, feed(child, job, bytes)]);
    signal.throwIfAborted();
    if (limit.aborted) return { issue: 'The file takes too long to be read' };
    // One that was ended in the middle has written a part at most.
    if (code !== 0 || output === undefined)
      return { issue: 'The file needs too much memory or time to be read', hasCrashed: true };
    return toExtraction(output);
  } finally {
    stop.removeEventListener('abort', kill);
    kill();
  }
}

/** Reads a short file that is text itself: decoding it is so cheap that it needs no process. */
export async function decode(job: ExtractionJob, bytes: AsyncIterable<Buffer>): Promise<Extraction> {
  const { text, isSame } = readPlain(job, await buffer(bytes));
  return { text, isApart: !isSame };
}

async function feed(child: CalculatingProcess, job: ExtractionJob, bytes: AsyncIterable<Buffer>): Promise<void> {
  const content = async function* content(): AsyncGenerator<Buffer, void, undefined> {
    yield Buffer.from(`${JSON.stringify(job)}\n`);
    yield* bytes;
  };
  try {
    await pipeline(Readable.from(content()), child.stdin);
  } catch (error) {
    // A process that has ended takes no more; what it has left behind says why.
    if (!isBrokenPipe(error)) throw error;
  }
}

async function readOutput({ stdout }: CalculatingProcess): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BYTES) chunks.push(chunk);
  }
  return length === 0 || length > MAX_BYTES ? undefined : Buffer.concat(chunks).toString();
}

function toExtraction(output: string): Extraction {
  const rest = output.slice(1);
  return output.startsWith(ISSUE) ? { issue: rest } : { text: rest, isApart: !output.startsWith(SAME_TEXT) };
}

function isBrokenPipe(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_STREAM_DESTROYED';
}
