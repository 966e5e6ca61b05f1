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
    // Later lines have the time of day, for a terminal that was left for hours.
    process.stdout.write(this.#isReady ? `${new Date().toTimeString().slice(0, 8)} ${line}\n` : `${line}\n`);
  }

  /** Leaves a line empty. */
  skipLine(): void {
    process.stdout.write('\n');
  }

  /** Writes the block which says that everything runs. Lines after it begin with the time of day. */
  welcome(block: string): void {
    process.stdout.write(block);
    this.#isReady = true;
  }

  /** Writes what went wrong to standard error. */
  fail(text: string): void {
    process.stderr.write(`${text}\n`);
  }
}

/** Reports the progress of a long step every ten seconds until it has ended, so that it does not seem stuck. */
export async function withProgress<Result>(
  say: (line: string) => void,
  describe: (elapsed: string) => string,
  step: () => Promise<Result>,
): Promise<Result> {
  const started = Date.now();
  const timer = setInterval(() => say(describe(elapsedTime(Date.now() - started))), 10_000);
  try {
    return await step();
  } finally {
    clearInterval(timer);
  }
}

/** Returns a time in words: `40 s`, `3 min 20 s`. */
function elapsedTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
