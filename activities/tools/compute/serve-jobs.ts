import { JobReader } from './job-reader.ts';
import { type ComputeResult, ISSUE, TEXT } from './job.ts';

const MAX_ISSUE = 300;
const TOO_LARGE = 'The result is too large; ask for less of it';

/** What a process does with its jobs. */
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
