import { fileURLToPath } from 'node:url';
import { type PartProcess, spawnPart } from '../../scripts/stack/parts/spawn-part.ts';
import type { DriverCommand, DrivenTurns, DriverMessage, TokenFigures } from './driver-protocol.ts';

/** Longer than every command takes, also where the platform does not respond. */
const LIMIT_MS = 600_000;

type Of<Union extends { readonly type: string }, Type extends Union['type']> = Extract<Union, { readonly type: Type }>;

const FILES = {
  chats: new URL('./chat-driver.ts', import.meta.url),
  endpoints: new URL('./endpoint-driver.ts', import.meta.url),
  'new-chats': new URL('./new-chat-driver.ts', import.meta.url),
  floor: new URL('../floors/floor-driver.ts', import.meta.url),
  peers: new URL('../peers/peer-driver.ts', import.meta.url),
  streams: new URL('./stream-driver.ts', import.meta.url),
};

/** A driver as a process of its own, so that what it costs is measured apart. */
export class Driver {
  readonly #part: PartProcess;
  #onMessage: ((message: DriverMessage) => void) | undefined;

  private constructor(part: PartProcess) {
    this.#part = part;
    part.child.on('message', (message: DriverMessage) => this.#onMessage?.(message));
  }

  /** Starts a driver; resolves when it is ready. */
  static async start(
    kind: keyof typeof FILES,
    args: readonly string[],
  ): Promise<{ driver: Driver; ready: Of<DriverMessage, 'ready'> }> {
    const part = await spawnPart({
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', fileURLToPath(FILES[kind]), ...args],
      ipc: true,
      log: () => undefined,
    });
    const driver = new Driver(part);
    try {
      return { driver, ready: await driver.#next('ready', () => undefined) };
    } catch (error) {
      await driver.stop();
      throw error;
    }
  }

  get pid(): number {
    return this.#part.pid;
  }

  /** Has a command carried out. `onWindow` is called as the measured part of a load begins, and as it ends. */
  async run(command: Exclude<DriverCommand, { type: 'stream' }>, onWindow?: () => void): Promise<DrivenTurns> {
    return this.#ask('turns', command, onWindow);
  }

  /** Has streams read. `onWindow` is called as the measured part begins, and as it ends. */
  async stream(command: Of<DriverCommand, 'stream'>, onWindow?: () => void): Promise<TokenFigures> {
    return this.#ask('tokens', command, onWindow);
  }

  async stop(): Promise<void> {
    if (this.#part.child.connected) this.#part.child.disconnect();
    await this.#part.end([{ signal: 'SIGTERM', limitMs: 2_000 }]);
  }

  async #ask<Type extends 'turns' | 'tokens'>(
    type: Type,
    command: DriverCommand,
    onWindow: () => void = () => undefined,
  ): Promise<Of<DriverMessage, Type>> {
    const answer = this.#next(type, onWindow);
    this.#part.child.send(command);
    return answer;
  }

  async #next<Type extends 'ready' | 'turns' | 'tokens'>(
    type: Type,
    onWindow: () => void,
  ): Promise<Of<DriverMessage, Type>> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string): void => reject(new Error(`a driver ${reason}:\n${this.#part.recentOutput()}`));
      const limit = setTimeout(() => fail('did not finish'), LIMIT_MS);
      void this.#part.exited.then((reason) => fail(`ended (${reason})`));
      this.#onMessage = (message) => {
        if (message.type === 'window') onWindow();
        if (message.type !== type) return;
        clearTimeout(limit);
        resolve(message as Of<DriverMessage, Type>);
      };
    });
  }
}
