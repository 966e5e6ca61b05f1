import { setTimeout as sleep } from 'node:timers/promises';
import { TestStack } from '../../test/support/test-stack.ts';
import { startTestWorker, type TestWorker } from '../../test/support/test-worker.ts';
import { Valve } from '../../test/support/valve.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { AIMED_INJECTIONS } from '../faults/aimed-faults.ts';
import { BLIND_INJECTIONS } from '../faults/blind-faults.ts';
import { isAimed, isBlind } from '../faults/plan-faults.ts';
import type { Parts, PartsOptions } from './installation.ts';
import type { Outside } from './outside.ts';

/** The parts that `npm start` starts on one machine, and a second worker. */
export interface SupervisedParts {
  readonly stack: TestStack;
  readonly spare: SpareWorker;
  /** Stands between Temporal and the spare worker. */
  readonly temporalValve: Valve;
  readonly outside: Outside;
}

/** Starts what `npm start` starts, and a second worker. */
export async function startSupervisedParts({ outside, settings, undo }: PartsOptions): Promise<Parts> {
  const stack = await TestStack.start({ privateHosts: outside.hosts, settings });
  undo.add(async () => stack.close());
  const temporalAddress = `127.0.0.1:${stack.ports.temporal}`;
  const temporalValve = await Valve.open(`tcp://${temporalAddress}`);
  undo.add(() => temporalValve.close());
  const temporal = { TEMPORAL_ADDRESS: new URL(temporalValve.url).host, LOG_LEVEL: 'info' };
  const spare = new SpareWorker(() => ({ ...stack.workerEnvironment, ...settings, ...temporal }));
  undo.add(async () => spare.stop());
  await spare.backUp();
  const installation = { stack, spare, temporalValve, outside };
  return {
    stack,
    temporalAddress,
    workerLog: () => stack.log('worker') + spare.log,
    inject: async (fault, surroundings) => {
      const { kind } = fault;
      const scene = { installation, ...surroundings };
      if (isAimed(kind)) return AIMED_INJECTIONS[kind](scene, fault);
      if (!isBlind(kind)) throw new Error(`${kind} needs machines`);
      await BLIND_INJECTIONS[kind](scene, fault);
      return undefined;
    },
  };
}

const PAUSE_MS = 500;
const UP_LIMIT_MS = 60_000;

/** A second worker beside the supervised one, started again whenever it ends. */
class SpareWorker {
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
