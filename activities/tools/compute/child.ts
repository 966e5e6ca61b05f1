import { type ComputeResult, type ComputeJob, ISSUE, MAX_RESULT_TEXT, MAX_TEXT, TEXT } from './job.ts';

// The main program of a compute process: one line of JSON comes in, one line goes out. Its jobs come from a model or a
// stranger, so the prototypes that all jobs of the process share are closed. Libraries are loaded at first use.

const MAX_ISSUE = 300;
const NEWLINE = 10;

closePrototypes();

let chunks: Buffer[] = [];
process.stdin.on('data', (chunk: Buffer) => {
  chunks.push(chunk);
  // The next job comes after this one's result.
  if (chunk.at(-1) !== NEWLINE) return;
  const line = Buffer.concat(chunks).toString();
  chunks = [];
  void reply(line);
});
// The service is gone.
process.stdin.once('close', () => process.exit());

async function reply(line: string): Promise<void> {
  const result = await answer(line);
  process.stdout.write('issue' in result ? `${ISSUE}${result.issue}\n` : `${TEXT}${result.text}\n`);
}

async function answer(line: string): Promise<ComputeResult> {
  try {
    const job = JSON.parse(line) as ComputeJob;
    const text = JSON.stringify(await run(job)) ?? 'null';
    if (text.length > (isForFile(job) ? MAX_TEXT : MAX_RESULT_TEXT))
      return { issue: 'The result is too large; ask for less of it' };
    return { text };
  } catch (error) {
    return { issue: describe(error) };
  }
}

function isForFile(job: ComputeJob): boolean {
  return job.kind === 'patch' || (job.kind === 'csv' && job.fileDelimiter !== undefined);
}

/** What runs the jobs of each kind. */
const RUNNERS: {
  readonly [K in ComputeJob['kind']]: (job: Extract<ComputeJob, { kind: K }>) => Promise<unknown>;
} = {
  math: async (job) => (await import('./evaluate-math.ts')).evaluateMath(job),
  json_query: async (job) => (await import('./json/query-json.ts')).queryJson(job),
  answer: async (job) => (await import('./json/query-answer.ts')).queryAnswer(job),
  check_arguments: async (job) => (await import('./json/check-arguments.ts')).checkArguments(job),
  time: async (job) => (await import('./tell-time.ts')).tellTime(job),
  patch: async (job) => (await import('./apply-diff.ts')).applyDiff(job),
  search: async (job) => (await import('./text/search-texts.ts')).searchTexts(job),
  page: async (job) => (await import('./pages/read-page.ts')).readPage(job),
  feed: async (job) => (await import('./pages/read-feed.ts')).readFeed(job),
  may_visit: async (job) => (await import('./pages/may-visit.ts')).mayVisit(job),
  csv: async (job) => (await import('./data/process-csv.ts')).processCsv(job),
  convert: async (job) => (await import('./data/convert-data.ts')).convertData(job),
  glob: async (job) => (await import('./match-paths.ts')).matchPaths(job),
};

async function run(job: ComputeJob): Promise<unknown> {
  const runner = RUNNERS[job.kind] as (job: ComputeJob) => Promise<unknown>;
  return runner(job);
}

function describe(error: unknown): string {
  if (error instanceof RangeError && error.message.includes('call stack')) return 'The expression nests too deep';
  if (error instanceof TypeError && error.message.includes('circular')) return 'The result is not a JSON value';
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string' && message !== ''
    ? message.slice(0, MAX_ISSUE).replaceAll('\n', ' ')
    : 'The expression could not be run';
}

function closePrototypes(): void {
  Reflect.deleteProperty(Object.prototype, '__proto__');
  for (const shared of [Object, Array, Function, String, Number, Boolean, RegExp, Date, Promise, Map, Set]) {
    // Closed to new names, not frozen: libraries define a toString on their objects, which a frozen prototype would
    // forbid.
    Reflect.preventExtensions(shared.prototype);
  }
}
