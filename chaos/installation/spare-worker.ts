import { setTimeout as sleep } from 'node:timers/promises';
import { startTestWorker, type TestWorker } from '../../test/support/test-worker.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

const PAUSE_MS = 500;
const UP_LIMIT_MS = 60_000;

/** A second worker beside the supervised one, started again whenever it ends. */
export class SpareWorker {
  readonly #environment: () => Record<string, string>;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #current: TestWorker | undefined;
  #formerLogs = '';

  /** @param environment asked at each start, since a start needs files that the stack writes. */
  constructor(environment: () => Record<string, string>) {
    this.#environment = environment;
    this.#ended = this.#keepRunning();
  }

  get pid(): number | undefined {
    return this.#current?.pid;
  }

  /** The logs of it and its predecessors. */
  get log(): string {
    return this.#formerLogs + (this.#current?.log() ?? '');
  }

  /** Sends it a signal, if it runs. */
  signal(signal: NodeJS.Signals): void {
    const { pid } = this;
    if (pid !== undefined) process.kill(pid, signal);
  }

  /** Waits until it runs, and is not the process `former`. Returns its process, and its name as the runner of turns. */
  async backUp(former?: number): Promise<{ readonly pid: number; readonly runner: string }> {
    return waitUntil(
      'the spare worker to run',
      () => {
        const { pid, log } = this.#current ?? {};
        // Logged a moment after it has told that it is ready.
        const runner = /"runner":"([^"]+)"/.exec(log?.() ?? '')?.[1];
        return pid === undefined || pid === former || runner === undefined ? undefined : { pid, runner };
      },
      UP_LIMIT_MS,
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#current?.kill();
    await this.#ended;
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#runOnce().catch(() => undefined);
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #runOnce(): Promise<void> {
    const worker = await startTestWorker(this.#environment());
    this.#current = worker;
    if (this.#stopping.signal.aborted) await worker.kill();
    await worker.exited;
    this.#formerLogs += worker.log();
    this.#current = undefined;
  }
}
