import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '../support/wait-until.ts';

/** What the neighbour's process is told. */
export interface ToNeighbour {
  /** Of the installation. */
  readonly url: string;
}

/** What the neighbour's process tells. */
export type FromNeighbour =
  | { readonly type: 'model'; readonly port: number }
  | ({ readonly type: 'ready' } & NeighbourUser)
  | { readonly type: 'sent'; readonly index: number; readonly sentAt: number }
  | { readonly type: 'ended'; readonly index: number; readonly tookMs: number; readonly failure: string | undefined };

/** Who works in the neighbour organization. */
export interface NeighbourUser {
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
}

/** A turn of the neighbour. */
export interface NeighbourTurn {
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  /** From sending to the end of the stream; `undefined` while it goes on. */
  readonly tookMs: number | undefined;
  /** Why it was not answered. */
  readonly failure: string | undefined;
}

/** The neighbouring organization, which sends a message every second. */
export class Neighbour {
  readonly modelPort: number;
  readonly #child: ChildProcess;
  readonly #turns = new Map<number, NeighbourTurn>();
  #user: NeighbourUser | undefined;

  private constructor(child: ChildProcess, modelPort: number) {
    this.#child = child;
    this.modelPort = modelPort;
    child.on('message', (message: FromNeighbour) => this.#note(message));
  }

  static async start(): Promise<Neighbour> {
    const child = fork(fileURLToPath(new URL('./neighbour-process.ts', import.meta.url)), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    const port = await new Promise<number>((resolve, reject) => {
      child.once('message', (message: FromNeighbour) => resolve(message.type === 'model' ? message.port : 0));
      child.once('exit', (code) => reject(new Error(`the neighbour ended with ${code}`)));
    });
    return new Neighbour(child, port);
  }

  /** Lets it register at an installation and begin its work. */
  async begin(url: string): Promise<void> {
    this.#child.send({ url } satisfies ToNeighbour);
    await waitUntil('the neighbour to begin', () => this.#user);
  }

  get user(): NeighbourUser {
    if (this.#user === undefined) throw new Error('the neighbour has not begun');
    return this.#user;
  }

  /** The turns that were sent between two times, ended all of them. */
  async turnsBetween(from: number, to: number): Promise<NeighbourTurn[]> {
    const sent = () => [...this.#turns.values()].filter(({ sentAt }) => sentAt >= from && sentAt < to);
    const allEnded = () => (sent().every(({ tookMs }) => tookMs !== undefined) ? true : undefined);
    await waitUntil("the neighbour's turns to end", allEnded);
    return sent();
  }

  /** Waits until a turn is answered that was sent after a time. */
  async answeredSince(from: number): Promise<void> {
    const isAnswered = ({ sentAt, tookMs }: NeighbourTurn) => sentAt >= from && tookMs !== undefined;
    const hasAnswer = () => [...this.#turns.values()].some(isAnswered) || undefined;
    await waitUntil('the neighbour to be answered', hasAnswer);
  }

  stop(): void {
    this.#child.disconnect();
  }

  #note(message: FromNeighbour): void {
    if (message.type === 'ready') this.#user = message;
    if (message.type === 'sent')
      this.#turns.set(message.index, { sentAt: message.sentAt, tookMs: undefined, failure: undefined });
    if (message.type !== 'ended') return;
    const { index, tookMs, failure } = message;
    this.#turns.set(index, { sentAt: this.#turns.get(index)?.sentAt ?? 0, tookMs, failure });
  }
}
