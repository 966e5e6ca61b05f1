import { describe, expect, test } from '@jest/globals';

import { readSettings } from './env.ts';

describe('the settings', () => {
  test('are complete when the environment says nothing', () => {
    expect(readSettings({})).toMatchObject({
      settings: { HOST: '127.0.0.1', TEMPORAL_NAMESPACE: 'default' },
    });
  });

  test('take an empty variable for one that is not set', () => {
    expect(readSettings({ DATABASE_URL: '', PORT: '', HOST: '' })).toMatchObject({ settings: { HOST: '127.0.0.1' } });
  });

  test('name all faults at once when several variables are wrong', () => {
    const result = readSettings({
      PORT: 'many',
      DATABASE_URL: 'mysql://host/x',
      REGISTRATION: 'perhaps',
      PROVIDER_WAIT_MAX: 'long',
      API_RATE_LIMIT: 'many',
      MODEL_IDLE_TIMEOUT: 'soon',
    });
    expect(result).toEqual({
      faults: [
        'PORT must be a port.',
        'DATABASE_URL must be like postgres://user:password@host:5432/database.',
        'REGISTRATION must be open, invite or closed.',
        'API_RATE_LIMIT must be a whole number from 0 (no limit) to 10000000.',
        'MODEL_IDLE_TIMEOUT must be a number of seconds, at most 86400.',
        'PROVIDER_WAIT_MAX must be a number of seconds, or a number with ms, s, m or h, and at most 720h.',
      ],
    });
  });

  test('are those that the api and the worker check', () => {
    const faulty = {
      SECRET_KEY: `${'k'.repeat(32)},short`,
      PUBLIC_URL: 'example.com',
      ALLOW_PRIVATE_HOSTS: 'localhost',
      LOG_LEVEL: 'loud',
      METRICS_TOKEN: 'short',
      SANDBOX_MEMORY: 'much',
      CLI_PROVIDERS: 'unknown',
      CODEX_BIN: 'codex',
      SANDBOX_UID: '0',
      MAX_TURNS_PER_USER: '-1',
      DELETED_CHAT_DAYS: 'few',
      APPROVAL_WAIT_DAYS: '0',
      TRUSTED_PROXIES: 'everybody',
      ORG_LIMITS: 'chats',
      FILES_URL: 'ftp://files',
      WORKER_METRICS_ADDRESS: 'localhost:9464',
    };
    for (const [name, value] of Object.entries(faulty))
      expect(readSettings({ [name]: value })).toEqual({ faults: [expect.stringMatching(`^${name} .*[^.]\\.$`)] });
    const all = readSettings(faulty);
    expect('faults' in all && new Set(all.faults.map((fault) => fault.split(' ', 1).join()))).toEqual(
      new Set(Object.keys(faulty)),
    );
  });

  test('never repeat a value when it is wrong', () => {
    expect(JSON.stringify(readSettings({ DATABASE_URL: 'hunter2', SECRET_KEY: 'hunter2' }))).not.toContain('hunter2');
  });

  test('refuse one port for two parts when both are embedded', () => {
    expect(readSettings({ PORT: '4000', POSTGRES_PORT: '4000' })).toEqual({
      faults: ['POSTGRES_PORT must differ from PORT (4000).'],
    });
  });

  test('refuse what is said of a Temporal server of your own when the embedded one is used', () => {
    expect(readSettings({ TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'true' })).toEqual({
      faults: [
        'TEMPORAL_TLS is for a server of your own: it needs TEMPORAL_ADDRESS.',
        'TEMPORAL_API_KEY is for a server of your own: it needs TEMPORAL_ADDRESS.',
      ],
    });
    const address = { TEMPORAL_ADDRESS: 'temporal.example.com:7233' };
    expect(readSettings({ ...address, TEMPORAL_API_KEY: 'key' })).toHaveProperty('settings');
  });

  test('refuse a port of the UI that is of no use or taken', () => {
    const address = { TEMPORAL_ADDRESS: 'temporal.example.com:7233' };
    expect(readSettings({ ...address, TEMPORAL_UI_PORT: '8233' })).toEqual({
      faults: ['TEMPORAL_UI_PORT is for the embedded server: a server of your own has a UI of its own.'],
    });
    expect(readSettings({ TEMPORAL_PORT: '8233', TEMPORAL_UI_PORT: '8233' })).toEqual({
      faults: ['TEMPORAL_UI_PORT must differ from TEMPORAL_PORT (8233).'],
    });
  });

  test('do not mind the port of a part that is not embedded', () => {
    expect(
      readSettings({ PORT: '4000', POSTGRES_PORT: '4000', DATABASE_URL: 'postgres://db/everturn' }),
    ).toHaveProperty('settings');
  });
});
