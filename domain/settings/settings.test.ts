import { describe, expect, test } from '@jest/globals';
import { readSettings, sharedSettings, workerSettings } from './settings.ts';

const GOOD = {
  DATABASE_URL: 'postgres://user:hunter2@localhost:5432/everturn',
  TEMPORAL_ADDRESS: 'localhost:7233',
  SECRET_KEY: 'k'.repeat(32),
};

describe('readSettings', () => {
  test('fills in what is not given, and takes an empty variable for one', () => {
    const read = readSettings(sharedSettings, { ...GOOD, TEMPORAL_NAMESPACE: '', LOG_LEVEL: undefined });
    expect(read).toMatchObject({ settings: { TEMPORAL_NAMESPACE: 'default', LOG_LEVEL: 'info' } });
  });

  test('reads several secret keys', () => {
    const read = readSettings(sharedSettings, { ...GOOD, SECRET_KEY: `${'a'.repeat(32)}, ${'b'.repeat(32)}` });
    expect(read).toMatchObject({ settings: { SECRET_KEY: ['a'.repeat(32), 'b'.repeat(32)] } });
  });

  test('reads the headers for a collector of traces, whose values may be percent-encoded', () => {
    const list = 'authorization=Basic%20YTpi==, x-team=a%2Cb';
    const read = readSettings(sharedSettings, { ...GOOD, OTEL_EXPORTER_OTLP_HEADERS: list });
    const headers = { authorization: 'Basic YTpi==', 'x-team': 'a,b' };
    expect(read).toMatchObject({ settings: { OTEL_EXPORTER_OTLP_HEADERS: headers } });
  });

  test.each(['authorization', '=value', 'a b=c', 'a=', 'a=%0d%0ab'])('refuses %j as headers', (list) => {
    const read = readSettings(sharedSettings, { ...GOOD, OTEL_EXPORTER_OTLP_HEADERS: list });
    expect(read).toEqual({ issues: [expect.stringMatching(/^OTEL_EXPORTER_OTLP_HEADERS: must be name=value/)] });
  });

  test('names every fault at once, and repeats no value', () => {
    const read = readSettings(sharedSettings, {
      DATABASE_URL: 'mysql://user:hunter2@localhost',
      TEMPORAL_ADDRESS: 'localhost',
      SECRET_KEY: 'hunter2',
      ALLOW_PRIVATE_HOSTS: '10.0.0.1',
      MARKETPLACE_INDEXES: 'ftp://user:hunter2@localhost/index.json',
      LOG_LEVEL: 'loud',
    });
    const issues = 'issues' in read ? read.issues.join('\n') : '';
    const names = ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'SECRET_KEY', 'ALLOW_PRIVATE_HOSTS', 'LOG_LEVEL'];
    for (const name of [...names, 'MARKETPLACE_INDEXES']) expect(issues).toContain(name);
    expect(issues).not.toContain('hunter2');
  });

  test.each(['127.0.0.1:9464', '0.0.0.0:1', '[::1]:65535', ''])('takes %j as the address of metrics', (text) => {
    const read = readSettings(workerSettings, { ...GOOD, WORKER_METRICS_ADDRESS: text });
    expect('settings' in read && (read.settings.WORKER_METRICS_ADDRESS ?? '')).toBe(text);
  });

  test.each(['9464', 'localhost:9464', '127.0.0.1', '127.0.0.1:0', '127.0.0.1:65536', '256.0.0.1:80', '::1:80'])(
    'refuses %j as the address of metrics',
    (text) => {
      expect(readSettings(workerSettings, { ...GOOD, WORKER_METRICS_ADDRESS: text })).toEqual({
        issues: [expect.stringContaining('WORKER_METRICS_ADDRESS: must be an IP address and a port')],
      });
    },
  );
});
