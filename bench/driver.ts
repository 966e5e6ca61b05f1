import { fileURLToPath } from 'node:url';
import { type PartProcess, spawnPart } from '../scripts/stack/spawn-part.ts';
import type { DriverCommand, DriverMessage } from './driver-protocol.ts';

const LIMIT_MS = 120_000;

/** What came of a command. */
export type DrivenTurns = Extract<DriverMessage, { type: 'turns' }>;

/** A driver as a process of its own, so that what it costs is measured apart. */
export class Driver {
  readonly #part: PartProcess;
  #told: ((message: DriverMessage) => void) | undefined;

  private constructor(part: PartProcess) {
    this.#part = part;
    part.child.on('message', (message: DriverMessage) => this.#told?.(message));
  }

  /** Starts a driver of this folder; resolves when it is ready. */
  static async start(
    file: 'chat-driver.ts' | 'floor-driver.ts',
    args: readonly string[],
  ): Promise<{ driver: Driver; ready: Extract<DriverMessage, { type: 'ready' }> }> {
    const path =
      file === 'chat-driver.ts'
        ? new URL('./chat-driver.ts', import.meta.url)
        : new URL('./floor-driver.ts', import.meta.url);
    const part = await spawnPart({
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', fileURLToPath(path), ...args],
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
  async run(command: DriverCommand, onWindow: () => void = () => undefined): Promise<DrivenTurns> {
    const answer = this.#next('turns', onWindow);
    this.#part.child.send(command);
    return answer;
  }

  async stop(): Promise<void> {
    if (this.#part.child.connected) this.#part.child.disconnect();
    await this.#part.end([{ signal: 'SIGTERM', limitMs: 2_000 }]);
  }

  async #next<Type extends 'ready' | 'turns'>(
    type: Type,
    onWindow: () => void,
  ): Promise<Extract<DriverMessage, { type: Type }>> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string): void => reject(new Error(`a driver ${reason}:\n${this.#part.recentOutput()}`));
      const limit = setTimeout(() => fail('did not finish'), LIMIT_MS);
      void this.#part.exited.then((reason) => fail(`ended (${reason})`));
      this.#told = (message) => {
        if (message.type === 'window') onWindow();
        if (message.type !== type) return;
        clearTimeout(limit);
        resolve(message as Extract<DriverMessage, { type: Type }>);
      };
    });
  }
}
