import { z } from 'zod';
import { boundSetting, durationSetting, givenOr, readSettings, sharedSettings } from '../domain/settings/index.ts';

const seconds = (fallback: number) => givenOr(z.coerce.number().positive().max(86_400).default(fallback));

const schema = sharedSettings.extend({
  /** Limits of one model call, in seconds. */
  MODEL_FIRST_BYTE_TIMEOUT: seconds(60),
  MODEL_IDLE_TIMEOUT: seconds(60),
  MODEL_TOTAL_TIMEOUT: seconds(600),
  /** How long a turn waits in all for providers that cool down, in milliseconds. */
  PROVIDER_WAIT_MAX: durationSetting('6h'),
  /** How long a sub-agent may work, in milliseconds. */
  SUB_AGENT_TIMEOUT: durationSetting('1h'),
  /** Turns, and calls of tools beside them, at work at the same time, 0 for no limit. */
  MAX_TURNS_PER_USER: boundSetting(40),
  MAX_TURNS_PER_ORG: boundSetting(120),
  MAX_CALLS_PER_USER: boundSetting(40),
  MAX_CALLS_PER_ORG: boundSetting(120),
  /** Sub-agents below one message, 0 for no limit. */
  MAX_SUB_AGENTS_PER_TREE: boundSetting(200),
  /** Folder of all data of the embedded parts; the chats' workspaces lie in it unless they have a folder of their own. */
  EVERTURN_HOME: givenOr(z.string().default('.everturn')),
  WORKSPACE_DIR: givenOr(z.string().optional()),
  /** Written every five seconds while the worker answers. */
  HEALTH_FILE: givenOr(z.string().optional()),
});

/** The settings of the worker. Faulty ones end the process, which then names each. */
export function workerEnv(): z.output<typeof schema> {
  const read = readSettings(schema, process.env);
  if ('settings' in read) return read.settings;
  process.stderr.write(`Faulty settings:\n${read.issues.join('\n')}\n`);
  return process.exit(1);
}
