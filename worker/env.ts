import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { settingsOf, workerSettings } from '../domain/settings/settings.ts';

/** Reads the worker's settings. Invalid ones end the process with a message that names each. */
export function workerEnv(): z.output<typeof workerSettings> {
  return settingsOf(workerSettings, process, readFileSync);
}
