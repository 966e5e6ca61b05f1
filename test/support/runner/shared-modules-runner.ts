import { fileURLToPath } from 'node:url';
import type { SerializableError } from '@jest/test-result';
import type { Config } from '@jest/types';
import type { CallbackTestRunnerInterface, OnTestFailure, OnTestStart, OnTestSuccess, Test } from 'jest-runner';
import { Worker } from 'jest-worker';
import type { runFile } from './run-file.ts';

const RUN_FILE = fileURLToPath(new URL('run-file.ts', import.meta.url));
/** A process whose resident memory is larger than this after a file is replaced. */
const MAX_RESIDENT_BYTES = 1_500_000_000;

interface Watcher {
  isInterrupted(): boolean;
}

/** Who is told of each file. */
interface Listeners {
  readonly onStart: OnTestStart;
  readonly onResult: OnTestSuccess;
  readonly onFailure: OnTestFailure;
}

/** What a project says of its processes, as its `testEnvironmentOptions`. */
interface ProcessOptions {
  readonly nodeOptions?: readonly string[];
}

/**
 * Runs test files in processes that load each module of the product once. Jest's own runner loads all modules again for
 * every file, which took longer than the tests.
 */
export default class SharedModulesRunner implements CallbackTestRunnerInterface {
  readonly supportsEventEmitters = false;
  readonly #globalConfig: Config.GlobalConfig;

  constructor(globalConfig: Config.GlobalConfig) {
    this.#globalConfig = globalConfig;
  }

  async runTests(
    tests: Test[],
    watcher: Watcher,
    onStart: OnTestStart,
    onResult: OnTestSuccess,
    onFailure: OnTestFailure,
  ): Promise<void> {
    for (const ofProject of Map.groupBy(tests, ({ context }) => context.config).values())
      await this.#runProject(ofProject, watcher, { onStart, onResult, onFailure });
  }

  /** Runs the files of one project, whose processes have what it needs. */
  async #runProject(
    tests: readonly Test[],
    watcher: Watcher,
    { onStart, onResult, onFailure }: Listeners,
  ): Promise<void> {
    const globalConfig = this.#globalConfig;
    const queue = [...tests];
    const runQueue = async (): Promise<void> => {
      let worker: FileWorker | undefined;
      for (let test = queue.shift(); test !== undefined && !watcher.isInterrupted(); test = queue.shift()) {
        const { path, context } = test;
        worker ??= startWorker(context.config);
        await onStart(test);
        await worker.runFile(path, { config: context.config, globalConfig }).then(
          async (result) => onResult(test, result),
          async (error: unknown) => {
            // Its process has ended, or holds a file that did not load.
            await worker?.end();
            worker = undefined;
            await onFailure(test, error as SerializableError);
          },
        );
        // Not left to jest-worker, which may end a process that has just been given the next file.
        if (worker !== undefined && (await residentBytesOf(worker)) > MAX_RESIDENT_BYTES) {
          await worker.end();
          worker = undefined;
        }
      }
      await worker?.end();
    };
    await Promise.all(Array.from({ length: globalConfig.maxWorkers }, runQueue));
  }
}

type FileWorker = Worker & { readonly runFile: typeof runFile; residentBytes(): Promise<number> };

// A process that has died meanwhile is replaced.
async function residentBytesOf(worker: FileWorker): Promise<number> {
  return worker.residentBytes().catch(() => Infinity);
}

/** Starts a process that runs one file after the other. */
function startWorker(config: Config.ProjectConfig): FileWorker {
  const { nodeOptions } = processOptionsOf(config);
  const worker = new Worker(RUN_FILE, {
    exposedMethods: ['runFile', 'residentBytes'],
    numWorkers: 1,
    maxRetries: 0,
    forkOptions: { serialization: 'advanced', stdio: 'pipe', execArgv: [...(nodeOptions ?? [])] },
  }) as FileWorker;
  worker.getStdout().pipe(process.stdout);
  worker.getStderr().pipe(process.stderr);
  return worker;
}

function processOptionsOf({ testEnvironmentOptions }: Config.ProjectConfig): ProcessOptions {
  return testEnvironmentOptions;
}
