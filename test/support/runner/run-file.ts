import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import {
  type AssertionResult,
  createEmptyTestResult,
  type SerializableError,
  type TestResult,
} from '@jest/test-result';
import type { Circus, Config } from '@jest/types';
import { addEventHandler, getState, resetState, run } from 'jest-circus';
import { formatExecError, formatResultsErrors } from 'jest-message-util';
import { endShared } from './end-of-process.ts';
import { expect, jest } from './globals.ts';

/** What a run of Jest hands to each of its files. */
interface FileOptions {
  readonly config: Config.ProjectConfig;
  readonly globalConfig: Config.GlobalConfig;
}

/** What a file of `setupFilesAfterEnv` exports: it is loaded once, so what it does for each file is a function. */
interface SetUp {
  beforeFile(): void;
}

// Outside of Jest's own sandbox the package only throws.
const GLOBALS = new URL('globals.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
});

process.on('uncaughtException', (error) => {
  const { currentlyRunningTest, unhandledErrors } = getState();
  (currentlyRunningTest?.errors ?? unhandledErrors).push(error);
});
addEventHandler(({ name }, { currentlyRunningTest }) => {
  if (name !== 'test_fn_success') return;
  currentlyRunningTest?.errors.push(...expect.extractExpectedAssertionsErrors().map(({ error }) => error));
});

/** Ends what the files of this process have shared: jest-worker calls it before it ends the process. */
export async function teardown(): Promise<void> {
  await endShared();
}

/** Returns how many bytes of memory this process holds. */
export function residentBytes(): number {
  return process.memoryUsage.rss();
}

/** Runs the tests of a file. The modules that earlier files have loaded are there, as they left them. */
export async function runFile(testFilePath: string, { config, globalConfig }: FileOptions): Promise<TestResult> {
  const environment = { ...process.env };
  resetState();
  const state = getState();
  state.testTimeout = config.testTimeout ?? globalConfig.testTimeout ?? state.testTimeout;
  if (globalConfig.testNamePattern) state.testNamePattern = new RegExp(globalConfig.testNamePattern, 'i');
  const start = Date.now();
  for (const setUpFile of config.setupFilesAfterEnv) {
    const { beforeFile } = (await import(pathToFileURL(setUpFile).href)) as SetUp;
    beforeFile();
  }
  await import(pathToFileURL(testFilePath).href);
  const { testResults: results, unhandledErrorsDetailed } = await run();
  const end = Date.now();
  jest.useRealTimers();
  jest.restoreAllMocks();
  process.env = environment;

  const testResults = results.map(toAssertionResult);
  const count = (wanted: AssertionResult['status']) => testResults.filter(({ status }) => status === wanted).length;
  const messages = [
    formatResultsErrors(testResults, config, globalConfig, testFilePath),
    ...unhandledErrorsDetailed.map((error) => formatExecError(error, config, globalConfig)),
  ].filter((message) => message !== null);
  // oxlint-disable-next-line everturn/no-asserted-time -- decides on a colour of the report
  const isSlow = (end - start) / 1_000 > config.slowTestThreshold;
  return {
    ...createEmptyTestResult(),
    ...(config.displayName !== undefined && { displayName: config.displayName }),
    failureMessage: messages.length > 0 ? messages.join('\n\n') : null,
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    perfStats: { ...createEmptyTestResult().perfStats, start, end, runtime: end - start, slow: isSlow },
    ...(unhandledErrorsDetailed[0] !== undefined && { testExecError: unhandledErrorsDetailed[0] as SerializableError }),
    testFilePath,
    testResults,
  };
}

function toAssertionResult({
  testPath,
  status,
  errors,
  duration,
  numPassingAsserts,
}: Circus.TestResult): AssertionResult {
  const titles = testPath.slice(1).map(String);
  const outcome = errors.length > 0 ? ('failed' as const) : ('passed' as const);
  return {
    ancestorTitles: titles.slice(0, -1),
    title: titles.at(-1) ?? '',
    fullName: titles.join(' '),
    status: status === 'skip' ? 'pending' : status === 'todo' ? 'todo' : outcome,
    duration: duration ?? null,
    failureMessages: errors,
    failureDetails: [],
    numPassingAsserts,
  };
}
