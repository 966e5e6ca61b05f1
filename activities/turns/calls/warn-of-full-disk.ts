const EVERY_MS = 60_000;

let warnedAt = -EVERY_MS;

/** Logs that calls fail because the disk is full: once a minute, however many there are. */
export function warnOfFullDisk(log: { warn(fields: { err: unknown }, message: string): void }, error: unknown): void {
  const now = performance.now();
  if (now - warnedAt < EVERY_MS) return;
  warnedAt = now;
  log.warn({ err: error }, 'the disk of the workspaces is full: tool calls fail');
}
