import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Delivery } from './effect-sink.ts';
import type { ModelReply } from './model-reply.ts';
import type { Undo } from '../../test/support/undo.ts';

/** The addresses of the outside world. */
interface Addresses {
  readonly modelUrl: string;
  readonly modelPort: number;
  readonly sinkPort: number;
}

/** All that the outside world has noted. */
export interface OutsideFacts {
  readonly deliveries: readonly Delivery[];
  readonly replies: readonly ModelReply[];
}

/** The model's provider and the effect sink. They outlive every fault of the platform. */
export class Outside {
  readonly modelUrl: string;
  readonly sinkUrl: string;
  /** The hosts that the platform must be allowed to reach, in the form of `ALLOW_PRIVATE_HOSTS`. */
  readonly hosts: readonly string[];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, { modelUrl, modelPort, sinkPort }: Addresses) {
    this.#child = child;
    this.modelUrl = modelUrl;
    this.sinkUrl = `http://127.0.0.1:${sinkPort}`;
    this.hosts = [`127.0.0.1:${modelPort}`, `127.0.0.1:${sinkPort}`];
  }

  static async start(undo: Undo): Promise<Outside> {
    const child = fork(fileURLToPath(new URL('./outside-process.ts', import.meta.url)), {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    let errors = '';
    child.stderr?.on('data', (data: Buffer) => (errors = (errors + data.toString()).slice(-4_000)));
    const exited = once(child, 'exit');
    undo.add(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    const ready = await Promise.race([once(child, 'message'), exited.then(() => undefined)]);
    if (ready === undefined) throw new Error(`the outside world did not start:\n${errors}`);
    return new Outside(child, ready[0] as Addresses);
  }

  /** Lets the model and the ledger stand still for a while, as an overloaded provider does. */
  async pause(ms: number): Promise<void> {
    this.#child.kill('SIGSTOP');
    await sleep(ms);
    this.#child.kill('SIGCONT');
  }

  async facts(): Promise<OutsideFacts> {
    const answer = once(this.#child, 'message', { signal: AbortSignal.timeout(30_000) });
    this.#child.send('facts');
    const [facts] = (await answer) as [OutsideFacts];
    return facts;
  }
}
