import { z } from 'zod';
import { readSettings, sharedSettings } from '../domain/settings/index.ts';

const seconds = (fallback: number) =>
  z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.coerce.number().positive().max(86_400).default(fallback),
  );

const schema = sharedSettings.extend({
  /** Limits of one model call, in seconds. */
  MODEL_FIRST_BYTE_TIMEOUT: seconds(60),
  MODEL_IDLE_TIMEOUT: seconds(60),
  MODEL_TOTAL_TIMEOUT: seconds(600),
});

/** The settings of the worker. Faulty ones end the process, which then names each. */
export function workerEnv(): z.output<typeof schema> {
  const read = readSettings(schema, process.env);
  if ('settings' in read) return read.settings;
  process.stderr.write(`Faulty settings:\n${read.faults.join('\n')}\n`);
  return process.exit(1);
}
