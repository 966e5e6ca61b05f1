import { setPriority } from 'node:os';
import type { CalculatingProcess } from './start-child.ts';

/** Lower than everything else on the machine. */
const LOW_PRIORITY = 5;

/** Has a process give way to all others. Its priority cannot be raised again. */
export function lowerPriority({ pid }: Pick<CalculatingProcess, 'pid'>): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {
    // It has just ended.
  }
}
