import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** The folder of docker-compose.yml. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** What Docker calls otherwise than Podman. */
const SECURITY_OPTIONS: Readonly<Record<string, string>> = {
  'no-new-privileges:true': 'no-new-privileges',
  'systempaths=unconfined': 'unmask=ALL',
};

/** A variable, with its default or the words for who has not set it. */
const VARIABLE = /\$\{\w+(?::-([^}]*)|:?\?[^}]*)\}/g;

const serviceSchema = z.object({
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  init: z.literal(true),
  read_only: z.literal(true),
  tmpfs: z.array(z.string()),
  mem_limit: z.string(),
  pids_limit: z.int(),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  volumes: z.array(z.string()).default([]),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
});

/** A service of docker-compose.yml, as Podman runs it. */
export interface ComposeService {
  /** The options of `podman run`. */
  readonly options: readonly string[];
  readonly command: readonly string[];
  /** The command of the health check. */
  readonly healthCheck: readonly string[];
}

/**
 * Reads a service of docker-compose.yml with the defaults of its variables, and an environment in place of what names
 * other containers. It shares the network of this machine.
 */
export function readComposeService(name: string, environment: Readonly<Record<string, string>>): ComposeService {
  const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
  const withDefaults = (_key: unknown, value: unknown) =>
    typeof value === 'string'
      ? value.replaceAll(VARIABLE, (_use, fallback: string | undefined) => fallback ?? '')
      : value;
  const { services } = z
    .object({ services: z.object({ [name]: serviceSchema }) })
    .parse(parse(text, withDefaults, { merge: true }));
  const service = services[name] as z.output<typeof serviceSchema>;
  const [form, ...check] = service.healthcheck?.test.map((word) => word.replaceAll('$$', '$')) ?? [];
  return {
    options: [
      '--network=host',
      '--init',
      '--read-only',
      // Docker has no folders in memory but those that it is told.
      '--read-only-tmpfs=false',
      // Those of Podman are above what a session may set.
      '--ulimit=nofile=4096:4096',
      '--ulimit=nproc=4096:4096',
      `--memory=${service.mem_limit}`,
      `--pids-limit=${service.pids_limit}`,
      ...service.tmpfs.map((folder) => `--tmpfs=${folder}`),
      ...service.cap_drop.map((capability) => `--cap-drop=${capability}`),
      ...service.security_opt.map((option) => `--security-opt=${securityOption(option)}`),
      ...service.volumes.map((volume) => `--volume=${volume}`),
      ...Object.entries({ ...service.environment, ...environment }).map(([key, value]) => `--env=${key}=${value}`),
    ],
    command: service.command,
    healthCheck: form === 'CMD-SHELL' ? ['sh', '-c', ...check] : check,
  };
}

function securityOption(option: string): string {
  const profile = /^seccomp=(.+)$/.exec(option)?.[1];
  return profile === undefined ? (SECURITY_OPTIONS[option] ?? option) : `seccomp=${join(ROOT, profile)}`;
}
