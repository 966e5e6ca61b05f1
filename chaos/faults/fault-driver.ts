import { setTimeout as sleep } from 'node:timers/promises';
import type { Span } from '../audit/index.ts';
import type { Installation } from '../installation/installation.ts';
import type { Gate } from '../load/gate.ts';
import type { InFlight } from '../load/in-flight.ts';
import {
  type Droppable,
  type FaultKind,
  isAimed,
  isMachineFault,
  type PlannedFault,
  type Sighting,
  type Surroundings,
} from './plan-faults.ts';

/** An injected fault: its kind, its time, and what it met. */
export interface InjectedFault extends Sighting {
  readonly kind: FaultKind;
  /** Milliseconds since the run began. */
  readonly at: number;
  /** The time until the part was up again. */
  readonly downMs: number;
  /** From then until a user was shown something; undefined when nobody waited. */
  lifeMs: number | undefined;
  /** The longest time in which no user was shown anything though some waited, from the fault to that sign of life. */
  silenceMs: number;
  /** Connections that users lost and requests of theirs that failed in that time. */
  failures: number;
}

interface DriverDeps {
  readonly installation: Installation;
  readonly inFlight: InFlight;
  readonly gate: Gate;
  readonly clients: readonly Droppable[];
  readonly turns: number;
  readonly temporalAwayMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** The longest wait for a turn in flight before a fault, and for turns that lag behind the faults. */
const IN_FLIGHT_LIMIT_MS = 10_000;
const LAG_LIMIT_MS = 60_000;
const POLL_MS = 50;

/** Faults after which a worker's calls may have been lost. */
const LOSES_CALLS: ReadonlySet<FaultKind> = new Set([
  'kill worker',
  'kill spare worker',
  'kill both workers',
  'kill everything',
  'pause worker',
  'pause spare worker',
  'kill spare worker before engagement',
  'kill spare worker before adoption',
  'pause spare worker past its leases',
]);

/**
 * Does the planned faults one after the other, each when turns are under way and what the one before hit is up again.
 * The gate opens with them, so that turns and faults last equally long.
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
    const turnsBefore = (index: number) => (index * turns) / faults.length;
    for (const fault of faults) {
      const letIn = () => gate.open(Math.ceil(turnsBefore(fault.index + 1)));
      // An aimed fault prepares the moment first.
      if (!isAimed(fault.kind)) letIn();
      await this.#waitForTurns(Math.floor(turnsBefore(fault.index)));
      if (!isAimed(fault.kind)) await this.#waitForOpenTurn();
      await sleep(fault.beforeMs, undefined, { signal });
      await this.#inject(fault, letIn);
      letIn();
      await sleep(fault.afterMs, undefined, { signal });
    }
    gate.open(turns);
  }

  /** The times at which a worker was killed or paused. */
  get workerLosses(): Span[] {
    return this.injected
      .filter(({ kind }) => LOSES_CALLS.has(kind) || isMachineFault(kind))
      .map(({ at, downMs }) => ({ from: this.#startedAt + at, to: this.#startedAt + at + downMs }));
  }

  // Waits until as many turns have begun as belong before this fault.
  async #waitForTurns(begun: number): Promise<void> {
    const { gate, signal } = this.#deps;
    const deadline = Date.now() + LAG_LIMIT_MS;
    while (gate.entered < begun && Date.now() < deadline) await sleep(POLL_MS, undefined, { signal });
  }

  async #waitForOpenTurn(): Promise<void> {
    const { inFlight, signal } = this.#deps;
    const deadline = Date.now() + IN_FLIGHT_LIMIT_MS;
    while (inFlight.openCount === 0 && Date.now() < deadline) await sleep(POLL_MS, undefined, { signal });
  }

  async #inject(fault: PlannedFault, letIn: () => void): Promise<void> {
    const { inFlight, say } = this.#deps;
    const { kind } = fault;
    const struckAt = Date.now();
    const at = struckAt - this.#startedAt;
    inFlight.takeLongestSilence();
    const failuresBefore = inFlight.failures;
    say(`${(at / 1000).toFixed(1)} s: ${kind}, ${inFlight.openCount} turns open`);
    const sighting = await this.#strike(fault, { ...this.#deps, letIn });
    if (isAimed(kind)) say(`  ${sighting.isHit ? 'hit' : 'missed'}: ${sighting.seen}`);
    const seen = () => ({ silenceMs: inFlight.takeLongestSilence(), failures: inFlight.failures - failuresBefore });
    const times = { at, downMs: Date.now() - struckAt, lifeMs: undefined };
    const injected: InjectedFault = { ...sighting, kind, ...times, ...seen() };
    this.injected.push(injected);
    if (inFlight.openCount === 0) return;
    void inFlight.recovered().then((lifeMs) => {
      const { silenceMs } = injected;
      const later = seen();
      return Object.assign(injected, later, { lifeMs, silenceMs: Math.max(silenceMs, later.silenceMs) });
    });
  }

  async #strike(fault: PlannedFault, surroundings: Surroundings): Promise<Sighting> {
    const { installation, inFlight } = this.#deps;
    const { openCount } = inFlight;
    const sighting = await installation.inject(fault, surroundings);
    return sighting ?? { isHit: openCount > 0, seen: `${openCount} turns open` };
  }
}
