import { z } from 'zod';
import { parseHostNames, parseOrigins, parseTrustedProxies } from '../network/index.ts';
import { givenOr } from './given-or.ts';
import { parsedSetting } from './parsed.ts';
import { sharedSettings } from './settings.ts';

const PORT = 'must be a port';
const RATE = 'must be a whole number from 0 (no limit) to 10000000';
const requestRate = (fallback: number) =>
  givenOr(z.coerce.number(RATE).int(RATE).min(0, RATE).max(10_000_000, RATE).default(fallback));

/** The settings of the api (docs/settings.md). */
export const apiSettings = sharedSettings.extend({
  PORT: givenOr(z.coerce.number(PORT).int(PORT).min(0, PORT).max(65_535, PORT).default(3000)),
  HOST: givenOr(z.string().default('127.0.0.1')),
  /** The address under which users reach the service. */
  PUBLIC_URL: givenOr(z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional()),
  /** Who may register: anybody, holders of an invite, nobody. */
  REGISTRATION: givenOr(z.enum(['open', 'invite', 'closed'], 'must be open, invite or closed').default('invite')),
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
