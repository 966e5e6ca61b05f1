import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The last whole runs, for `npm run test:durations`. */
const DURATIONS = `${ROOT}node_modules/.cache/everturn/test-durations.json`;
const KEPT_RUNS = 10;
const SLOWEST = 10;
/** What a run of all tests may take. It does not fail by that: other work on the machine would make it fail. */
const LIMIT_MINUTES = 25;

/**
 * Prints where the time of a run went, keeps that of the last whole runs, and leaves for `test/run.ts` how many tests
 * passed, failed and were skipped.
 */
export default class RunReporter {
  #config;
  #isKept;

  constructor(config, { isKept = true } = {}) {
    this.#config = config;
    this.#isKept = isKept;
  }

  onRunComplete(_contexts, results) {
    const files = results.testResults.map(({ testFilePath, perfStats }) => ({
      file: relative(ROOT, testFilePath),
      seconds: perfStats.runtime / 1_000,
    }));
    const groups = durationsByGroup(files);
    if (files.length > 1) process.stderr.write(`\n${report(files, groups)}\n`);
    if (this.#isKept && isWhole(this.#config, results)) keep(groups, results);

    const file = process.env['EVERTURN_TEST_COUNTS'];
    if (file === undefined) return;
    const skipped = results.numPendingTests + results.numTodoTests;
    writeFileSync(file, `${results.numPassedTests} passed, ${failedOf(results)} failed, ${skipped} skipped`);
  }
}

/** Returns the worker-seconds by group, the longest first: the first folder, or that in `test`. */
function durationsByGroup(files) {
  const byGroup = Map.groupBy(files, ({ file }) => /^(?:test\/)?[^/]+/.exec(file)?.[0] ?? file);
  const sums = [...byGroup].map(([group, ofGroup]) => [group, ofGroup.reduce((sum, { seconds }) => sum + seconds, 0)]);
  return Object.fromEntries(sums.toSorted(([, a], [, b]) => b - a).map(([group, sum]) => [group, Math.round(sum)]));
}

function report(files, groups) {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const line = (seconds, name) => `  ${seconds.toFixed(1).padStart(7)} s  ${name}`;
  return [
    'Slowest files',
    ...slowest.map(({ file, seconds }) => line(seconds, file)),
    'Worker time by group',
    ...Object.entries(groups).map(([group, seconds]) => line(seconds, group)),
  ].join('\n');
}

/** Whether all tests of all files were run. */
function isWhole({ testPathPatterns, testNamePattern, onlyChanged }, { wasInterrupted }) {
  return !wasInterrupted && !onlyChanged && !testNamePattern && testPathPatterns.patterns.length === 0;
}

function keep(groups, results) {
  const seconds = Math.round((Date.now() - results.startTime) / 1_000);
  const minutes = Math.ceil(seconds / 60);
  // oxlint-disable-next-line everturn/no-asserted-time -- reports the run, and asserts nothing
  if (minutes > LIMIT_MINUTES)
    process.stderr.write(`\nThe run took ${minutes} minutes: ${LIMIT_MINUTES} are its limit (docs/tests.md).\n`);
  const run = { at: new Date(results.startTime).toISOString(), seconds, failed: failedOf(results), groups };
  mkdirSync(dirname(DURATIONS), { recursive: true });
  // Renamed into place: a run beside this one may read it.
  const unfinished = `${DURATIONS}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify([...keptRuns(), run].slice(-KEPT_RUNS), undefined, 2));
  renameSync(unfinished, DURATIONS);
}

/** Returns the last whole runs, the newest last. */
export function keptRuns() {
  try {
    return JSON.parse(readFileSync(DURATIONS, 'utf8'));
  } catch {
    return [];
  }
}

// A file that could not even be loaded has no tests of its own to count.
function failedOf({ numFailedTests, numRuntimeErrorTestSuites }) {
  return numFailedTests + numRuntimeErrorTestSuites;
}
