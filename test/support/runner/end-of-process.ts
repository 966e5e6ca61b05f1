const ends: (() => Promise<void>)[] = [];

/** Notes how to end what the test files of this process share. */
export function atEndOfProcess(end: () => Promise<void>): void {
  ends.push(end);
}

/** Ends what the test files of this process have shared. */
export async function endShared(): Promise<void> {
  await Promise.all(ends.splice(0).map(async (end) => end()));
}
