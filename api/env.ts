import { z } from 'zod';
import { readSettings, sharedSettings } from '../domain/settings/index.ts';

const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema);

const schema = sharedSettings.extend({
  PORT: optional(z.coerce.number().int().min(0).max(65_535).default(3000)),
  HOST: optional(z.string().default('127.0.0.1')),
  /** Who may register: anybody, holders of an invite, nobody. */
  REGISTRATION: optional(z.enum(['open', 'invite', 'closed']).default('invite')),
});

export type ApiEnv = z.output<typeof schema>;

/** The settings of the api. Faulty ones end the process, which then names each. */
export function apiEnv(): ApiEnv {
  const read = readSettings(schema, process.env);
  if ('settings' in read) return read.settings;
  process.stderr.write(`Faulty settings:\n${read.faults.join('\n')}\n`);
  return process.exit(1);
}
