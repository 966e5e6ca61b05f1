import { PARTS, type Part, TestStack } from '../support/test-stack.ts';
import { Undo } from '../support/undo.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Attack } from './attack.ts';
import { Attacker, type Scene } from './attacker.ts';
import { HostileServer } from './hostile-server.ts';
import { Neighbour, type NeighbourTurn } from './neighbour.ts';

/** What an attack did to the others. */
export interface AttackResult {
  readonly family: string;
  readonly attack: string;
  /** What became of the attack; undefined when that is not what is promised. */
  readonly outcome: string | undefined;
  /** What was not as promised. */
  readonly fault: unknown;
  /** The neighbour's turns that were sent while it went on. */
  readonly turns: readonly NeighbourTurn[];
  /** The parts that ended while it went on, once for each time. */
  readonly ended: readonly Part[];
}

/** An installation as `npm start` runs it, an organization that works there, and all that is done to them. */
export class AttackRun {
  readonly results: AttackResult[] = [];
  readonly stack: TestStack;
  readonly #neighbour: Neighbour;
  readonly #server: HostileServer;
  readonly #undo: Undo;
  readonly #attackMs: number;

  private constructor(
    parts: { stack: TestStack; neighbour: Neighbour; server: HostileServer; undo: Undo },
    attackMs: number,
  ) {
    this.#attackMs = attackMs;
    this.stack = parts.stack;
    this.#neighbour = parts.neighbour;
    this.#server = parts.server;
    this.#undo = parts.undo;
  }

  /** Begins; an attack that has no end of its own goes on for at least so long. */
  static async begin(attackMs: number): Promise<AttackRun> {
    const undo = new Undo();
    try {
      const server = await HostileServer.start();
      undo.add(async () => server.close());
      const neighbour = await Neighbour.start();
      undo.add(() => neighbour.stop());
      const privateHosts = [server.port, neighbour.modelPort].map((port) => `127.0.0.1:${port}`);
      const stack = await TestStack.start({ privateHosts });
      undo.add(async () => stack.close());
      await neighbour.begin(stack.url);
      return new AttackRun({ stack, neighbour, server, undo }, attackMs);
    } catch (error) {
      await undo.all();
      throw error;
    }
  }

  /** Lets a fresh account attack, and notes what that does to the others. */
  async run(family: string, { name, run }: Attack): Promise<AttackResult> {
    const attacker = await Attacker.register(this.#scene());
    const endedBefore = this.#ended();
    const [done] = await Promise.allSettled([run(attacker)]);
    const from = attacker.beganAt;
    await this.#neighbour.answeredSince(from);
    const turns = await this.#neighbour.turnsBetween(from, Date.now());
    const ended = this.#ended().slice(endedBefore.length);
    const outcome = done.status === 'fulfilled' ? done.value : undefined;
    const [cleared] = await Promise.allSettled([this.#clearAway(attacker)]);
    const faults = [done, cleared].flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    const result = {
      family,
      attack: name,
      outcome: faults.length === 0 ? outcome : undefined,
      fault: faults[0],
      turns,
      ended,
    };
    this.results.push(result);
    return result;
  }

  async end(): Promise<void> {
    await this.#undo.all();
  }

  async #clearAway(attacker: Attacker): Promise<void> {
    try {
      await attacker.leave();
    } finally {
      await this.#waitUntilUp();
    }
  }

  #scene(): Scene {
    const { stack } = this;
    return { stack, server: this.#server, neighbour: this.#neighbour, attackMs: this.#attackMs };
  }

  #ended(): Part[] {
    return this.stack.endings;
  }

  async #waitUntilUp(): Promise<void> {
    await waitUntil('the parts to be up', async () => {
      if (PARTS.some((part) => this.stack.pid(part) === undefined)) return undefined;
      const ready = await fetch(`${this.stack.url}/readyz`).catch(() => undefined);
      return ready?.status === 200 ? true : undefined;
    });
  }
}
