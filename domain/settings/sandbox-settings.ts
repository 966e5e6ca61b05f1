import { z } from 'zod';
import { givenOr } from './given-or.ts';
import { sizeSetting } from './size.ts';

const count = (fallback: number, { min, max }: { readonly min: number; readonly max: number }) => {
  const words = `must be a whole number from ${min} to ${max}`;
  return givenOr(z.coerce.number(words).int(words).min(min, words).max(max, words).default(fallback));
};

/** The settings of the sandbox, in which commands of agents run (docs/sandbox.md). */
export const sandboxSettings = {
  SANDBOX: givenOr(z.enum(['auto', 'off'], 'must be auto or off').default('auto')),
  /** The path of bubblewrap; looked for unless given. */
  SANDBOX_BWRAP: givenOr(z.string().optional()),
  /** The user whom commands run as when the service runs as root; never root. */
  SANDBOX_UID: count(61_111, { min: 1, max: 4_000_000_000 }),
  /** `gateway` lets commands reach public addresses over http and https. */
  SANDBOX_NETWORK: givenOr(z.enum(['off', 'gateway'], 'must be off or gateway').default('off')),
  /** The memory, and the processes, of all of a command; the size of its temporary folder. */
  SANDBOX_MEMORY: sizeSetting('1G'),
  SANDBOX_PIDS: count(128, { min: 16, max: 32_768 }),
  SANDBOX_TMP: sizeSetting('256M'),
  /** The most commands at once in a worker. */
  SANDBOX_CONCURRENCY: count(4, { min: 1, max: 256 }),
  /** The path of Chromium, or `off`; looked for unless given. */
  BROWSER_CHROMIUM: givenOr(z.string().optional()),
} as const;
