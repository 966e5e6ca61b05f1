import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { apiSettings, workerSettings } from '../../domain/settings/settings.ts';
import { parseSize } from '../../domain/settings/setting-values.ts';
import { describeWithProgram } from '../support/describe-with-program.ts';
import { serveTestApi } from '../support/serve-test-api.ts';

const root = join(import.meta.dirname, '..', '..');

const serviceSchema = z.object({
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  restart: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  depends_on: z
    .record(z.string(), z.object({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }))
    .default({}),
  mem_limit: z.string(),
  pids_limit: z.int(),
  tmpfs: z.array(z.string()).default([]),
  logging: z.object({ driver: z.string(), options: z.record(z.string(), z.string()) }),
});
type Service = z.output<typeof serviceSchema>;

const { services } = z
  .object({ services: z.record(z.string(), serviceSchema) })
  .parse(parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }));
const own = Object.entries(services).filter(([, { build }]) => build !== undefined);
const names = Object.keys(services);

/** The last stage of the Dockerfile: the image of the services that are built here. */
const image = readFileSync(join(root, 'Dockerfile'), 'utf8').split(' AS service\n')[1] ?? '';

test('the services that are built here are the api, the worker and the migration', () => {
  expect(own.map(([name]) => name)).toEqual(['migrate', 'api', 'worker']);
});

describe.each(own)('the service %s', (_name, { command = [], environment, healthcheck, tmpfs }) => {
  test('runs a file that is in the image', () => {
    const [program, ...args] = command;
    const file = args.at(-1) ?? '';
    expect(program).toBe('node');
    expect(args.slice(0, -1).filter((arg) => !arg.startsWith('--'))).toEqual([]);
    expect(existsSync(join(root, file))).toBe(true);
    const copied = [...image.matchAll(/^COPY (?!--from)(\S+) \S+$/gm)].map(([, source]) => source);
    expect(copied).toContain(file.split('/')[0]);
  });

  test('gets settings that the product reads', () => {
    const known = Object.keys({ ...apiSettings.shape, ...workerSettings.shape });
    const given = Object.entries(environment).filter(([, value]) => value !== '');
    expect(given.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('is checked without a Node.js of its own, by programs that are in the image', () => {
    const [form = '', ...words] = healthcheck?.test ?? [];
    const programs = form === 'CMD' ? words.slice(0, 1) : (words[0] ?? '').split(/[^a-z-]+/);
    expect(programs).not.toContain('node');
    if (form === 'CMD') expect(image).toMatch(new RegExp(String.raw`apt-get install .*\b${programs[0]}\b`));
  });

  test('has a bounded folder for temporary files', () => {
    expect(tmpfs).toEqual([expect.stringMatching(/^\/tmp:size=\d+m\b/)]);
  });
});

test('the image has no health check, which its format does not know: every service that stays has one', () => {
  expect(image).not.toContain('HEALTHCHECK');
  const unchecked = Object.entries(services).filter(
    ([, { restart, healthcheck }]) => restart === 'unless-stopped' && healthcheck === undefined,
  );
  // That of Temporal's web interface is not built here, and nothing waits for it.
  expect(unchecked.map(([name]) => name)).toEqual(['temporal-ui']);
});

/** Returns the services that a service is started after, directly or not. */
function startedBefore(name: string, path: readonly string[] = []): string[] {
  if (path.includes(name)) throw new Error([...path, name].join(' waits for '));
  const direct = Object.keys(services[name]?.depends_on ?? {});
  return [...new Set(direct.flatMap((other) => [other, ...startedBefore(other, [...path, name])]))];
}

describe('the order of the start', () => {
  test.each(names)('of %s waits for services that can be waited for', (name) => {
    for (const [other, { condition }] of Object.entries(services[name]?.depends_on ?? {})) {
      const { healthcheck, restart = '' }: Partial<Service> = services[other] ?? {};
      const ends = restart.startsWith('on-failure');
      const fits = condition === 'service_healthy' ? healthcheck !== undefined : ends;
      expect([other, condition, fits]).toEqual([other, condition, true]);
    }
    expect(startedBefore(name)).not.toContain(name);
  });

  test.each(['api', 'worker'])('of %s comes after the schema and the namespace', (name) => {
    const order = ['postgres', 'temporal-schema', 'temporal', 'temporal-namespace', 'migrate'];
    expect(startedBefore(name).toSorted()).toEqual(order.toSorted());
  });
});

describe('the limits', () => {
  /** The default of a value that .env may replace. */
  const defaultOf = (value: string) => /^\$\{\w+:-(.*)\}$/.exec(value)?.[1] ?? value;

  test.each(names)('of %s are on memory, processes and logs', (name) => {
    const { mem_limit: memory, pids_limit: pids, logging } = services[name] ?? ({} as Partial<Service>);
    expect(parseSize(defaultOf(memory ?? '').toUpperCase())).toBeGreaterThan(0);
    expect(pids).toBeGreaterThan(0);
    expect(logging).toEqual({ driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } });
  });

  test('of the worker leave room for all commands at once', () => {
    const {
      SANDBOX_CONCURRENCY: commands,
      SANDBOX_MEMORY: each,
      SANDBOX_PIDS: processes,
    } = workerSettings.pick({ SANDBOX_CONCURRENCY: true, SANDBOX_MEMORY: true, SANDBOX_PIDS: true }).parse({});
    const { mem_limit: memory = '', pids_limit: pids } = services['worker'] ?? ({} as Partial<Service>);
    const bytes = parseSize(defaultOf(memory).toUpperCase()) ?? 0;
    expect(bytes).toBeGreaterThan(commands * each + 1024 ** 3);
    expect(pids).toBeGreaterThan(commands * processes + 500);
  });
});

/** Returns whether a check of a service finds it healthy; Compose writes `$$` for `$`. */
async function isHealthy(check: readonly string[]): Promise<boolean> {
  const [form, ...words] = check.map((word) => word.replaceAll('$$', '$'));
  const [program = '', ...args] = form === 'CMD-SHELL' ? ['sh', '-c', ...words] : words;
  return promisify(execFile)(program, args).then(
    () => true,
    () => false,
  );
}

describeWithProgram('the health check of the api', ['curl'], () => {
  const served = serveTestApi();

  test('passes while the api responds, and fails where nothing listens', async () => {
    const check = (port: string) =>
      services['api']?.healthcheck?.test.map((word) => word.replace(':3000/', `:${port}/`));
    expect(await isHealthy(check(new URL(served.url).port) ?? [])).toBe(true);
    expect(await isHealthy(check('1') ?? [])).toBe(false);
  });
});

test('the health check of the worker passes while its file is new', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'everturn-health-'));
  const file = join(folder, 'worker-answers');
  const { healthcheck, environment } = services['worker'] ?? ({} as Partial<Service>);
  const check = healthcheck?.test.map((word) => word.replaceAll(environment?.['HEALTH_FILE'] ?? '', file)) ?? [];
  expect(check.join(' ')).toContain(file);
  expect(await isHealthy(check)).toBe(false);
  writeFileSync(file, '');
  expect(await isHealthy(check)).toBe(true);
  const past = new Date(Date.now() - 60_000);
  utimesSync(file, past, past);
  expect(await isHealthy(check)).toBe(false);
  rmSync(folder, { recursive: true });
});
