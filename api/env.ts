import { z } from 'zod';
import { parseHostNames, parseOrigins, parseTrustedProxies } from '../domain/network/index.ts';
import { givenOr, parsedSetting, settingsOf, sharedSettings } from '../domain/settings/index.ts';

const requestRate = (fallback: number) => givenOr(z.coerce.number().int().min(0).max(10_000_000).default(fallback));

const schema = sharedSettings.extend({
  PORT: givenOr(z.coerce.number().int().min(0).max(65_535).default(3000)),
  HOST: givenOr(z.string().default('127.0.0.1')),
  /** The address under which users reach the service. */
  PUBLIC_URL: givenOr(z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional()),
  /** Who may register: anybody, holders of an invite, nobody. */
  REGISTRATION: givenOr(z.enum(['open', 'invite', 'closed']).default('invite')),
  /** Requests a minute, 0 for no limit: of one user, with one API key, from one address without valid credentials. */
  API_RATE_LIMIT: requestRate(12_000),
  API_RATE_LIMIT_KEY: requestRate(6_000),
  API_RATE_LIMIT_ADDRESS: requestRate(1_200),
  API_RATE_LIMIT_WEBHOOK: requestRate(1_200),
  /** The proxies before the api that report truthfully where a request came from. */
  TRUSTED_PROXIES: parsedSetting(parseTrustedProxies),
  /** Names that the api may be addressed by, beside those of PUBLIC_URL and HOST and those that mean this machine. */
  ALLOWED_HOSTS: parsedSetting(parseHostNames),
  /** The origins of pages that may read responses; none unless given. */
  CORS_ORIGINS: parsedSetting(parseOrigins),
  /** The folder of the built console; that beside the code unless given. */
  CONSOLE_DIR: givenOr(z.string().optional()),
  /** The token that opens /metrics to other machines. */
  METRICS_TOKEN: givenOr(z.string().min(16, 'must have at least 16 characters').optional()),
});

export type ApiEnv = z.output<typeof schema>;

/** Reads the api's settings. Invalid ones end the process with a message that names each. */
export function apiEnv(): ApiEnv {
  return settingsOf(schema, process);
}
