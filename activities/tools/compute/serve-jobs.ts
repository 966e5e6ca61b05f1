import { type ComputeResult, ISSUE, TEXT } from './job.ts';

const MAX_ISSUE = 300;
const TOO_LARGE = 'The result is too large; ask for less of it';

/** How a process runs its jobs. */
interface JobServer<Job> {
  /** Does a job, which may come with a file; throws an `Error` in words for the model. */
  readonly run: (job: Job, file: Buffer) => Promise<unknown>;
  /** The longest result of a job. */
  readonly maxTextOf: (job: Job) => number;
}

/** Does the jobs that come in, one after the other; one line of result goes out for each. */
export function serveJobs<Job>(server: JobServer<Job>): void {
  const reader = new JobReader((json, file) => {
    void reply(server, json, file);
  });
  process.stdin.on('data', (chunk: Buffer) => reader.take(chunk));
  // The service is gone.
  process.stdin.once('close', () => process.exit());
}

async function reply<Job>(server: JobServer<Job>, json: string, file: Buffer): Promise<void> {
  const result = await answer(server, json, file);
  process.stdout.write('issue' in result ? `${ISSUE}${result.issue}\n` : `${TEXT}${result.text}\n`);
}

async function answer<Job>(server: JobServer<Job>, json: string, file: Buffer): Promise<ComputeResult> {
  try {
    const job = JSON.parse(json) as Job;
    const text = JSON.stringify(await server.run(job, file)) ?? 'null';
    if (text.length > server.maxTextOf(job)) return { issue: TOO_LARGE };
    return { text };
  } catch (error) {
    return { issue: describe(error) };
  }
}

function describe(error: unknown): string {
  if (error instanceof RangeError && error.message.includes('call stack')) return 'The expression nests too deep';
  if (error instanceof RangeError && error.message === 'Invalid string length') return TOO_LARGE;
  if (error instanceof TypeError && error.message.includes('circular')) return 'The result is not a JSON value';
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string' && message !== ''
    ? message.slice(0, MAX_ISSUE).replaceAll('\n', ' ')
    : 'The expression could not be run';
}

const NEWLINE = 10;
const BLANK = ' ';

/**
 * Assembles jobs as they arrive: the length of a file, a blank and JSON in one line, then the bytes of the file. The
 * next job comes after the result of this one.
 */
class JobReader {
  readonly #onJob: (json: string, file: Buffer) => void;
  #chunks: Buffer[] = [];
  #length = 0;
  #head: { readonly json: string; readonly total: number; readonly end: number } | undefined;

  /** `onJob` is called for each whole job. */
  constructor(onJob: (json: string, file: Buffer) => void) {
    this.#onJob = onJob;
  }

  take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#head ??= this.#readHead(chunk);
    if (this.#head === undefined || this.#length < this.#head.total) return;
    const { json, end } = this.#head;
    const file = Buffer.concat(this.#chunks).subarray(end);
    this.#chunks = [];
    this.#length = 0;
    this.#head = undefined;
    this.#onJob(json, file);
  }

  // Only the newest chunk can contain the end of the line.
  #readHead(newest: Buffer) {
    const at = newest.indexOf(NEWLINE);
    if (at === -1) return undefined;
    const end = this.#length - newest.length + at + 1;
    const line = Buffer.concat(this.#chunks, end).toString();
    const blank = line.indexOf(BLANK);
    return { json: line.slice(blank + 1), total: end + Number(line.slice(0, blank)), end };
  }
}
