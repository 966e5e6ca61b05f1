import { type ComputeJob, MAX_CONTENT_TEXT, MAX_RESULT_TEXT, MAX_TEXT } from './job.ts';
import type { DocumentJob } from './documents/document-job.ts';
import { serveJobs } from './serve-jobs.ts';

// The main program of a compute process: one job comes in, one line goes out. Its jobs come from a model or a
// stranger, so the prototypes that all jobs of the process share are closed. Libraries are loaded at first use.

type CalculationJob = Exclude<ComputeJob, DocumentJob>;

/** Jobs whose results contain contents of files. */
const WITH_CONTENTS: ReadonlySet<CalculationJob['kind']> = new Set(['unpack', 'pack', 'chart', 'image']);

/** Runs the jobs of each kind. */
const RUNNERS: {
  readonly [K in CalculationJob['kind']]: (job: Extract<CalculationJob, { kind: K }>) => Promise<unknown>;
} = {
  math: async (job) => (await import('./evaluate-math.ts')).evaluateMath(job),
  json_query: async (job) => (await import('./query-json.ts')).queryJson(job),
  answer: async (job) => (await import('./query-json.ts')).queryAnswer(job),
  check_arguments: async (job) => (await import('./check-arguments.ts')).checkArguments(job),
  time: async (job) => (await import('./calculate-time.ts')).calculateTime(job),
  patch: async (job) => (await import('./apply-diff.ts')).applyDiff(job),
  search: async (job) => (await import('./text/search-texts.ts')).searchTexts(job),
  page: async (job) => (await import('./pages/read-page.ts')).readPage(job),
  feed: async (job) => (await import('./pages/read-feed.ts')).readFeed(job),
  may_visit: async (job) => (await import('./pages/may-visit.ts')).mayVisit(job),
  csv: async (job) => (await import('./data/process-csv.ts')).processCsv(job),
  convert: async (job) => (await import('./data/convert-data.ts')).convertData(job),
  text: async (job) => (await import('./text/transform-text.ts')).transformText(job),
  chart: async (job) => (await import('./charts/draw-chart.ts')).drawChart(job),
  image: async (job) => (await import('./process-image.ts')).processImage(job),
  list_archive: async (job) => (await import('./archives.ts')).listArchive(job),
  unpack: async (job) => (await import('./archives.ts')).unpack(job),
  pack: async (job) => (await import('./archives.ts')).pack(job),
  markdown: async (job) => (await import('./text/convert-markdown.ts')).convertMarkdown(job),
  markdown_blocks: async (job) => (await import('./documents/write/to-blocks.ts')).toBlocks(job),
  markdown_links: async (job) => (await import('./text/markdown-links.ts')).markdownLinks(job),
  glob: async (job) => (await import('./text/match-paths.ts')).matchPaths(job),
};

closePrototypes();
serveJobs<CalculationJob>({
  run: async (job) => (RUNNERS[job.kind] as (job: CalculationJob) => Promise<unknown>)(job),
  maxTextOf,
});

function maxTextOf(job: CalculationJob): number {
  if (WITH_CONTENTS.has(job.kind)) return MAX_CONTENT_TEXT;
  const isForFile = job.kind === 'patch' || (job.kind === 'csv' && job.fileDelimiter !== undefined);
  return isForFile ? MAX_TEXT : MAX_RESULT_TEXT;
}

function closePrototypes(): void {
  Reflect.deleteProperty(Object.prototype, '__proto__');
  for (const shared of [Object, Array, Function, String, Number, Boolean, RegExp, Date, Promise, Map, Set]) {
    // Closed to new names, not frozen: libraries define a toString on their objects, which a frozen prototype would
    // forbid.
    Reflect.preventExtensions(shared.prototype);
  }
}
