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
        'API_RATE_LIMIT must be a number.',
        'MODEL_IDLE_TIMEOUT must be a number.',
        'PROVIDER_WAIT_MAX must be a number of seconds, or a number with ms, s, m or h, and at most 720h.',
      ],
    });
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
