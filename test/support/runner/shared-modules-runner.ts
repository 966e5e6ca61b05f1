import { fileURLToPath } from 'node:url';
import type { SerializableError } from '@jest/test-result';
import type { Config } from '@jest/types';
import type { CallbackTestRunnerInterface, OnTestFailure, OnTestStart, OnTestSuccess, Test } from 'jest-runner';
import { Worker } from 'jest-worker';
import type { runFile } from './run-file.ts';

const RUN_FILE = fileURLToPath(new URL('run-file.ts', import.meta.url));
/** A process whose resident memory is larger than this after a file is replaced. */
const MAX_RESIDENT_BYTES = 1_500_000_000;

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
    watcher: { isInterrupted(): boolean },
    onStart: OnTestStart,
    onResult: OnTestSuccess,
    onFailure: OnTestFailure,
  ): Promise<void> {
    const globalConfig = this.#globalConfig;
    const worker = new Worker(RUN_FILE, {
      exposedMethods: ['runFile'],
      numWorkers: globalConfig.maxWorkers,
      maxRetries: 0,
      idleMemoryLimit: MAX_RESIDENT_BYTES,
      forkOptions: { serialization: 'advanced', stdio: 'pipe' },
    }) as Worker & { readonly runFile: typeof runFile };
    worker.getStdout().pipe(process.stdout);
    worker.getStderr().pipe(process.stderr);
    const queue = [...tests];
    const runQueue = async (): Promise<void> => {
      for (let test = queue.shift(); test !== undefined && !watcher.isInterrupted(); test = queue.shift()) {
        await onStart(test);
        const { path, context } = test;
        await worker.runFile(path, { config: context.config, globalConfig }).then(
          async (result) => onResult(test, result),
          async (error: unknown) => onFailure(test, error as SerializableError),
        );
      }
    };
    await Promise.all(Array.from({ length: globalConfig.maxWorkers }, runQueue));
    await worker.end();
  }
}
