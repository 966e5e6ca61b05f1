import { rmSync } from 'node:fs';

interface Teardown {
  readonly folder: string;
  stop(): Promise<void>;
}

let remembered: Teardown | undefined;

/** Notes what `tearDown` has to undo. */
export function rememberTeardown(teardown: Teardown): void {
  remembered = teardown;
}

/** Stops what the global set-up has started and removes its data. */
export async function tearDown(): Promise<void> {
  if (remembered === undefined) return;
  await remembered.stop();
  rmSync(remembered.folder, { recursive: true, force: true });
}
