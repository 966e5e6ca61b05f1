import type { Readable, Writable } from 'node:stream';

type Terminal<T> = T & { readonly isTTY?: boolean };

/** The environment of the process: its variables, its standard streams and its interrupts. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Terminal<Readable>;
  readonly stdout: Terminal<Writable>;
  readonly stderr: Terminal<Writable>;
  readonly interrupts: Interrupts;
}

/** Ctrl-C: the first one stops what is in progress, where that can be stopped; any other one ends the program. */
export class Interrupts {
  readonly #leave: () => void;
  #stop: (() => void) | undefined;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  /** Reports a Ctrl-C. */
  raise(): void {
    const stop = this.#stop ?? this.#leave;
    this.#stop = undefined;
    stop();
  }

  /** Does something that a Ctrl-C stops by calling `stop`. */
  async during<T>(stop: () => void, act: () => Promise<T>): Promise<T> {
    this.#stop = stop;
    try {
      return await act();
    } finally {
      this.#stop = undefined;
    }
  }
}
