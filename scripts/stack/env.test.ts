import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

import { apiSettings, readSettings, workerSettings } from '../../domain/settings/settings.ts';
import { readStartSettings } from './env.ts';

const issuesOf = (env: Record<string, string>): readonly string[] => {
  const read = readStartSettings(env);
  return 'issues' in read ? read.issues : [];
};

describe('the settings', () => {
  test('are complete when the environment says nothing', () => {
    expect(readStartSettings({})).toMatchObject({
      settings: { HOST: '127.0.0.1', TEMPORAL_NAMESPACE: 'default', REGISTRATION: 'open' },
    });
    expect(readStartSettings({ NODE_ENV: 'production' })).toMatchObject({ settings: { REGISTRATION: 'invite' } });
  });

  test('take an empty variable for one that is not set', () => {
    const { settings } = {
      settings: {},
      ...readStartSettings({ DATABASE_URL: '', PORT: '', HOST: '', REGISTRATION: '' }),
    };
    expect(settings).toMatchObject({ HOST: '127.0.0.1', REGISTRATION: 'open' });
    for (const name of ['DATABASE_URL', 'PORT']) expect(settings).not.toHaveProperty(name);
  });

  test('name all faults at once when several variables are wrong', () => {
    expect(
      issuesOf({
        PORT: '0',
        DATABASE_URL: 'mysql://host/x',
        REGISTRATION: 'perhaps',
        POSTGRES_PORT: '-1.5',
        TEMPORAL_API_KEY: 'key',
      }),
    ).toEqual([
      'DATABASE_URL: must be a postgres:// URL',
      'PORT: must be a port from 1 to 65535',
      'REGISTRATION: must be open, invite or closed',
      'POSTGRES_PORT: must be a port from 1 to 65535',
      'TEMPORAL_API_KEY: is for a server of your own, which TEMPORAL_ADDRESS has to name',
    ]);
  });

  test('are read from files that the environment names, also those that decide what is embedded', () => {
    const folder = mkdtempSync(join(tmpdir(), 'everturn-settings-'));
    const file = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const DATABASE_URL_FILE = file('url', 'postgres://db/everturn\n');
    const [key, missing] = [file('key', `${'k'.repeat(32)}\n`), join(folder, 'missing')];
    const read = readStartSettings({ DATABASE_URL_FILE, SECRET_KEY_FILE: key, PORT: '4000', POSTGRES_PORT: '4000' });
    expect(read).toMatchObject({
      settings: { DATABASE_URL: 'postgres://db/everturn', SECRET_KEY: ['k'.repeat(32)] },
    });
    expect(issuesOf({ TEMPORAL_API_KEY_FILE: key, SECRET_KEY_FILE: missing })).toEqual([
      'SECRET_KEY_FILE: the file cannot be read (ENOENT)',
      'TEMPORAL_API_KEY: is for a server of your own, which TEMPORAL_ADDRESS has to name',
    ]);
    rmSync(folder, { recursive: true });
  });

  test('are refused for the reasons for which the api and the worker refuse them', () => {
    const faulty = {
      DATABASE_URL: 'mysql://host/x',
      TEMPORAL_ADDRESS: 'temporal.example:*',
      SECRET_KEY: `${'k'.repeat(20)},${'l'.repeat(20)}`,
      PUBLIC_URL: 'example.com',
      ALLOW_PRIVATE_HOSTS: 'localhost',
      LOG_LEVEL: 'loud',
      METRICS_TOKEN: 'short',
      SANDBOX_MEMORY: 'much',
      CLI_PROVIDERS: 'foo',
      CODEX_BIN: 'codex',
      SANDBOX_UID: '0',
      MAX_TURNS_PER_USER: '-1',
      DELETED_CHAT_DAYS: 'few',
      APPROVAL_WAIT_DAYS: '0',
      MODEL_IDLE_TIMEOUT: '0',
      TRUSTED_PROXIES: 'everybody',
      ORG_LIMITS: 'chats',
      FILES_URL: 'ftp://files',
      MCP_CATALOG: '/nowhere/mcp-catalog.json',
      PRICES_FILE: '/nowhere/prices.json',
      WORKER_METRICS_ADDRESS: 'localhost:9464',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization',
      OTEL_TRACES_SAMPLER_ARG: '2',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'yes',
    };
    const services = [apiSettings, workerSettings].map((schema) => readSettings(schema, faulty, readFileSync));
    const reasons = new Set(services.flatMap((read) => ('issues' in read ? read.issues : [])));
    expect(reasons.size).toBe(Object.keys(faulty).length);
    expect(new Set(issuesOf(faulty))).toEqual(reasons);
  });

  test('never repeat a value when it is wrong', () => {
    const issues = issuesOf({ DATABASE_URL: 'hunter2', SECRET_KEY: 'hunter2' });
    expect(issues).toHaveLength(2);
    expect(issues.join('\n')).not.toContain('hunter2');
  });

  test('refuse one port for two parts when both are embedded, whatever else is wrong', () => {
    expect(issuesOf({ PORT: '4000', POSTGRES_PORT: '4000' })).toEqual(['POSTGRES_PORT: must differ from PORT (4000)']);
    expect(issuesOf({ PORT: '4000', TEMPORAL_PORT: '4000', LOG_LEVEL: 'loud' })).toEqual([
      expect.stringContaining('LOG_LEVEL'),
      'TEMPORAL_PORT: must differ from PORT (4000)',
    ]);
  });

  test('refuse what is said of a Temporal server of your own when the embedded one is used', () => {
    const connection = { TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'true' };
    expect(issuesOf(connection)).toEqual([
      'TEMPORAL_TLS: is for a server of your own, which TEMPORAL_ADDRESS has to name',
      'TEMPORAL_API_KEY: is for a server of your own, which TEMPORAL_ADDRESS has to name',
    ]);
    expect(issuesOf({ ...connection, TEMPORAL_ADDRESS: 'temporal.example.com:7233' })).toEqual([]);
  });

  test('refuse a port of the UI that is of no use or taken', () => {
    expect(issuesOf({ TEMPORAL_ADDRESS: 'temporal.example.com:7233', TEMPORAL_UI_PORT: '8233' })).toEqual([
      'TEMPORAL_UI_PORT: is for the embedded server; a server of your own has a UI of its own',
    ]);
    expect(issuesOf({ TEMPORAL_PORT: '8233', TEMPORAL_UI_PORT: '8233' })).toEqual([
      'TEMPORAL_UI_PORT: must differ from TEMPORAL_PORT (8233)',
    ]);
  });

  test('do not mind the port of a part that is not embedded', () => {
    expect(issuesOf({ PORT: '4000', POSTGRES_PORT: '4000', DATABASE_URL: 'postgres://db/everturn' })).toEqual([]);
  });
});
