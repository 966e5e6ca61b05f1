/** Talks to whoever ran `npm start`. */
export class Terminal {
  #isReady = false;

  constructor() {
    // The terminal may be closed before the last line is written.
    process.stdout.on('error', () => {});
    process.stderr.on('error', () => {});
  }

  /** Writes one line. */
  say(line: string): void {
    // Later lines stand alone in a terminal that was left for hours.
    process.stdout.write(this.#isReady ? `${new Date().toTimeString().slice(0, 8)} ${line}\n` : `${line}\n`);
  }

  /** Leaves a line empty. */
  skipLine(): void {
    process.stdout.write('\n');
  }

  /** Writes the block that tells that everything runs. Lines that follow carry the time of day. */
  welcome(block: string): void {
    process.stdout.write(block);
    this.#isReady = true;
  }

  /** Writes what went wrong to standard error. */
  fail(text: string): void {
    process.stderr.write(`${text}\n`);
  }
}
