import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LOCAL_ADDRESS } from '../../test/support/local-address.ts';
import type { HostBeginning, HostFacts } from '../host.ts';
import type { AskArrival, ReportArrival } from './report-sinks.ts';
import type { Delivery, Notified } from './sinks.ts';
import type { ModelReply } from './model-reply.ts';
import type { OutsideAsk, OutsideRequest } from './outside-process.ts';
import type { Undo } from '../../test/support/undo.ts';

/** The addresses of the outside world. */
interface Addresses {
  readonly modelUrl: string;
  readonly modelPort: number;
  readonly sinkPort: number;
  readonly hostPort: number;
  readonly webhookPort: number;
  readonly mailPort: number;
  readonly slackPort: number;
  readonly remotePort: number;
}

/** All that the outside world has noted. */
export interface OutsideFacts {
  readonly deliveries: readonly Delivery[];
  readonly replies: readonly ModelReply[];
  readonly host: HostFacts;
  /** What the platform has told of ended runs. */
  readonly notified: readonly Notified[];
  /** The reports of ended runs that have arrived by mail and in the chat service. */
  readonly reports: readonly ReportArrival[];
  /** What has asked people to decide. */
  readonly asks: readonly AskArrival[];
  /** The work that the agent of another platform was given. */
  readonly given: readonly string[];
}

/** The address of the repository at a code host. */
const REPOSITORY = 'example/website';
/** How long the outside world may take to respond; for what it delivers the platform has to be up again. */
const RESPONSE_LIMIT_MS = 30_000;
const CALM_LIMIT_MS = 120_000;

/**
 * The model's provider, the effect sink, a code host, addresses that are told of runs, a mail server and a chat service
 * that they are reported to, and an agent of another platform. They outlive every fault of this one.
 */
export class Outside {
  readonly modelUrl: string;
  readonly sinkUrl: string;
  /** Below it are the addresses that ended runs are told to. */
  readonly webhookUrl: string;
  readonly mailUrl: string;
  readonly slackUrl: string;
  /** The card of the agent of another platform. */
  readonly remoteCardUrl: string;
  /** The repository whose issues people work on. */
  readonly repoUrl: string;
  /** The hosts that the platform must be allowed to reach, in the form of `ALLOW_PRIVATE_HOSTS`. */
  readonly hosts: readonly string[];
  readonly #child: ChildProcess;
  #asked = 0;

  private constructor(child: ChildProcess, { modelUrl, ...ports }: Addresses) {
    const { sinkPort, hostPort, webhookPort, mailPort, slackPort, remotePort } = ports;
    this.#child = child;
    this.modelUrl = modelUrl;
    this.sinkUrl = `http://${LOCAL_ADDRESS}:${sinkPort}`;
    this.repoUrl = `http://${LOCAL_ADDRESS}:${hostPort}/${REPOSITORY}`;
    this.webhookUrl = `http://${LOCAL_ADDRESS}:${webhookPort}`;
    this.mailUrl = `smtp://${LOCAL_ADDRESS}:${mailPort}`;
    this.slackUrl = `http://${LOCAL_ADDRESS}:${slackPort}/api`;
    this.remoteCardUrl = `http://${LOCAL_ADDRESS}:${remotePort}/card.json`;
    this.hosts = Object.values(ports).map((port) => `${LOCAL_ADDRESS}:${port}`);
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

  /** Adds issues at the code host, and has people work on them until they are to stop. */
  async beginHost(host: HostBeginning): Promise<void> {
    await this.#ask({ ask: 'begin', host });
  }

  /** Has people at the code host stop; resolves when its webhook has told all that it tells. */
  async calmHost(): Promise<void> {
    await this.#ask({ ask: 'calm' }, CALM_LIMIT_MS);
  }

  async facts(): Promise<OutsideFacts> {
    return (await this.#ask({ ask: 'facts' })) as OutsideFacts;
  }

  /** Returns what has asked people to decide, but for so many first arrivals. */
  async asks(since: number): Promise<readonly AskArrival[]> {
    return (await this.#ask({ ask: 'asks', since })) as readonly AskArrival[];
  }

  async #ask(asked: OutsideAsk, limitMs = RESPONSE_LIMIT_MS): Promise<unknown> {
    const number = (this.#asked += 1);
    const answers = on(this.#child, 'message', { signal: AbortSignal.timeout(limitMs) });
    this.#child.send({ number, asked } satisfies OutsideRequest);
    for await (const [answer] of answers) {
      const { number: answered, said } = answer as { readonly number: number; readonly said: unknown };
      if (answered === number) return said;
    }
    throw new Error('the outside world does not respond');
  }
}
