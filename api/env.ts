import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { apiSettings, settingsOf } from '../domain/settings/settings.ts';

export type ApiEnv = z.output<typeof apiSettings>;

/** Reads the api's settings. Invalid ones end the process with a message that names each. */
export function apiEnv(): ApiEnv {
  return settingsOf(apiSettings, process, readFileSync);
}
