/** Reports the progress of a long step every ten seconds until it has ended, so that it does not look stuck. */
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
