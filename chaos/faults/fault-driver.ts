import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from '../../test/support/test-stack.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import type { Span } from '../audit/index.ts';
import type { InFlight } from '../load/in-flight.ts';
import type { Gate } from '../load/gate.ts';
import type { Installation } from '../installation/installation.ts';
import type { FaultKind, PlannedFault } from './plan-faults.ts';

/** An injected fault: its kind, its time, and the part that it hit. */
export interface InjectedFault {
  readonly kind: FaultKind;
  /** Milliseconds since the run began. */
  readonly at: number;
  readonly openTurns: number;
  /** The time until the part was up again. */
  readonly downMs: number;
  /** From then until a user was shown something; undefined when nobody waited. */
  lifeMs: number | undefined;
}

/** Clients whose connections can be lost. */
export interface Droppable {
  drop(): void;
}

interface DriverDeps {
  readonly installation: Installation;
  readonly inFlight: InFlight;
  readonly gate: Gate;
  readonly clients: readonly Droppable[];
  readonly turns: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** The longest wait for a turn in flight before a fault, and for turns that lag behind the faults. */
const IN_FLIGHT_LIMIT_MS = 10_000;
const LAG_LIMIT_MS = 60_000;
const UP_LIMIT_MS = 60_000;
/** Turns that may be let in beyond those that the faults so far allow: as many as wait for an answer at a time. */
const POLL_MS = 50;

/** Faults after which a worker's calls may have been lost. */
const LOSES_CALLS: ReadonlySet<FaultKind> = new Set([
  'kill worker',
  'kill spare worker',
  'kill both workers',
  'kill everything',
  'pause worker',
  'pause spare worker',
]);

/**
 * Does the planned faults one after the other, each when turns are under way and what the one before hit is up again. The
 * gate opens with them, so that turns and faults last equally long.
 */
export class FaultDriver {
  readonly injected: InjectedFault[] = [];
  readonly #deps: DriverDeps;
  readonly #startedAt = Date.now();

  constructor(deps: DriverDeps) {
    this.#deps = deps;
  }

  async run(faults: readonly PlannedFault[]): Promise<void> {
    const { gate, turns, signal } = this.#deps;
    for (const fault of faults) {
      gate.open(Math.ceil(((fault.index + 1) * turns) / faults.length));
      await this.#waitForTurns(Math.floor((fault.index * turns) / faults.length));
      await sleep(fault.beforeMs, undefined, { signal });
      await this.#inject(fault);
      await sleep(fault.afterMs, undefined, { signal });
    }
    gate.open(turns);
  }

  /** The times at which a worker was killed or paused. */
  get workerLosses(): Span[] {
    return this.injected
      .filter(({ kind }) => LOSES_CALLS.has(kind))
      .map(({ at, downMs }) => ({ from: this.#startedAt + at, to: this.#startedAt + at + downMs }));
  }

  // Waits until as many turns have begun as belong before this fault, and one of them has not ended.
  async #waitForTurns(begun: number): Promise<void> {
    const { gate, inFlight, signal } = this.#deps;
    const lagDeadline = Date.now() + LAG_LIMIT_MS;
    while (gate.entered < begun && Date.now() < lagDeadline) await sleep(POLL_MS, undefined, { signal });
    const deadline = Date.now() + IN_FLIGHT_LIMIT_MS;
    while (inFlight.openCount === 0 && Date.now() < deadline) await sleep(POLL_MS, undefined, { signal });
  }

  async #inject(fault: PlannedFault): Promise<void> {
    const { inFlight, say } = this.#deps;
    const struckAt = Date.now();
    const openTurns = inFlight.openCount;
    const at = struckAt - this.#startedAt;
    say(`${(at / 1000).toFixed(1)} s: ${fault.kind}, ${openTurns} turns open`);
    await ACTIONS[fault.kind](this.#deps, fault);
    const injected: InjectedFault = {
      kind: fault.kind,
      at,
      openTurns,
      downMs: Date.now() - struckAt,
      lifeMs: undefined,
    };
    this.injected.push(injected);
    if (inFlight.openCount > 0) void inFlight.recovered().then((ms) => (injected.lifeMs = ms));
  }
}

type Action = (deps: DriverDeps, fault: PlannedFault) => Promise<void>;

const killing =
  (part: Part): Action =>
  async ({ installation: { stack } }) =>
    void (await stack.end(part).backUp());

const ending =
  (part: Part): Action =>
  async ({ installation: { stack } }) =>
    void (await stack.end(part, 'SIGTERM').backUp());

const pausing =
  (part: Part): Action =>
  async ({ installation: { stack } }, { lengthMs }) => {
    stack.freeze(part);
    await sleep(lengthMs);
    // Its supervisor may have lost patience.
    await waitUntil(`${part} to run`, () => stack.pid(part), UP_LIMIT_MS);
    stack.thaw(part);
  };

const ACTIONS: Readonly<Record<FaultKind, Action>> = {
  'kill worker': killing('worker'),
  'kill api': killing('api'),
  'kill Temporal': killing('temporal'),
  'kill PostgreSQL': killing('postgres'),
  'end worker': ending('worker'),
  'end api': ending('api'),
  'end api in a reconnect storm': async ({ clients, ...deps }, fault) => {
    for (const client of clients) client.drop();
    // They come back 100 to 200 ms later.
    await sleep(100 + (fault.lengthMs % 100));
    await ending('api')({ clients, ...deps }, fault);
  },
  'pause worker': pausing('worker'),
  'pause api': pausing('api'),
  'pause Temporal': pausing('temporal'),
  'pause PostgreSQL': pausing('postgres'),
  'pause model': async ({ installation: { outside } }, { lengthMs }) => outside.pause(Math.min(lengthMs, 5_000)),
  'kill spare worker': async ({ installation: { spare } }) => {
    const { pid } = spare;
    spare.signal('SIGKILL');
    await spare.backUp(pid);
  },
  'pause spare worker': async ({ installation: { spare } }, { lengthMs }) => {
    spare.signal('SIGSTOP');
    await sleep(lengthMs);
    spare.signal('SIGCONT');
  },
  'kill both workers': async ({ installation: { stack, spare } }) => {
    const { pid } = spare;
    const killed = stack.end('worker');
    spare.signal('SIGKILL');
    await Promise.all([killed.backUp(), spare.backUp(pid)]);
  },
  'kill everything': async ({ installation: { stack, spare } }) => {
    const { pid } = spare;
    spare.signal('SIGKILL');
    await stack.killAll();
    await stack.startAgain();
    await spare.backUp(pid);
  },
  'drop clients': async ({ clients }, { share }) => {
    // Evenly over all chats, the same ones each time for the same share.
    for (const [at, client] of clients.entries()) if ((at * 7) % 10 < share * 10) client.drop();
  },
  'cut database connections': async ({ installation: { stack } }, { share }) => {
    await stack.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid() and (pid * 7) % 10 < $1`,
      [Math.round(share * 10)],
    );
  },
};
