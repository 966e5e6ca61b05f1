import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { cliSettings } from './cli-settings.ts';
import { durationSetting } from './duration.ts';
import { givenOr } from './given-or.ts';
import { sandboxSettings } from './sandbox-settings.ts';
import { sharedSettings } from './settings.ts';
import { boundSetting } from './work-bounds.ts';

const SECONDS = 'must be a number of seconds above 0, at most 86400';
const seconds = (fallback: number) =>
  givenOr(z.coerce.number(SECONDS).positive(SECONDS).max(86_400, SECONDS).default(fallback));

const LISTEN_ADDRESS = 'must be an IP address and a port, such as 127.0.0.1:9464 or [::1]:9464';

/** The settings of the worker (docs/settings.md). */
export const workerSettings = sharedSettings.extend({
  /** Limits of one model call, in seconds. */
  MODEL_FIRST_BYTE_TIMEOUT: seconds(60),
  MODEL_IDLE_TIMEOUT: seconds(60),
  MODEL_TOTAL_TIMEOUT: seconds(600),
  /** The total time that a turn waits for providers that cool down, in milliseconds. */
  PROVIDER_WAIT_MAX: durationSetting('6h'),
  /** The longest time that a sub-agent may work, in milliseconds. */
  SUB_AGENT_TIMEOUT: durationSetting('1h'),
  /** Bounds on turns, and on tool calls beside them, that run at once; 0 for no limit. */
  MAX_TURNS_PER_USER: boundSetting(40),
  MAX_TURNS_PER_ORG: boundSetting(120),
  MAX_CALLS_PER_USER: boundSetting(40),
  MAX_CALLS_PER_ORG: boundSetting(120),
  /** Bounds the sub-agents below one message; 0 for no limit. */
  MAX_SUB_AGENTS_PER_TREE: boundSetting(200),
  /** The days for which entries of project logs are kept; 0 for ever. */
  PROJECT_LOG_DAYS: boundSetting(365),
  /**
   * The folder of all data of the embedded parts; it holds the chats' workspaces unless they have a folder of their
   * own.
   */
  EVERTURN_HOME: givenOr(z.string().default('.everturn')),
  WORKSPACE_DIR: givenOr(z.string().optional()),
  /** The operator's file of prices of models. */
  PRICES_FILE: givenOr(z.string().optional()),
  ...sandboxSettings,
  ...cliSettings,
  /** Written every five seconds while the worker responds. */
  HEALTH_FILE: givenOr(z.string().optional()),
  /** Where the worker serves metrics; nowhere unless given. */
  WORKER_METRICS_ADDRESS: givenOr(z.string().refine(isListenAddress, LISTEN_ADDRESS).optional()),
});

function isListenAddress(text: string): boolean {
  const { v4, v6, port } = /^(?:(?<v4>[\d.]+)|\[(?<v6>[\da-f:.]+)\]):(?<port>\d{1,5})$/i.exec(text)?.groups ?? {};
  const isAddress = v4 === undefined ? ipaddr.IPv6.isValid(v6 ?? '') : ipaddr.IPv4.isValidFourPartDecimal(v4);
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}
