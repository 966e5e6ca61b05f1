import { describe, expect, test } from '@jest/globals';
import { withSettings } from './setting-files.ts';
import { readSettings, settingsOf, sharedSettings, workerSettings } from './settings.ts';

const GOOD = {
  DATABASE_URL: 'postgres://user:hunter2@localhost:5432/everturn',
  TEMPORAL_ADDRESS: 'localhost:7233',
  SECRET_KEY: 'k'.repeat(32),
};

/** Reads files that the environment of these tests may name. */
const readFile = (path: string): string => {
  const content = new Map([
    ['/run/secrets/key', `${'f'.repeat(32)}\r\n`],
    ['/run/secrets/empty', '\n'],
  ]).get(path);
  if (content === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
  return content;
};

describe('readSettings', () => {
  test('fills in what is not given, and takes an empty variable for one', () => {
    const read = readSettings(sharedSettings, { ...GOOD, TEMPORAL_NAMESPACE: '', LOG_LEVEL: undefined }, readFile);
    expect(read).toMatchObject({ settings: { TEMPORAL_NAMESPACE: 'default', LOG_LEVEL: 'info' } });
  });

  test.each([
    ['HOST', 'bad host'],
    ['HOST', '0.0.0.0:3000'],
    ['HOST', 'http://localhost'],
    ['HOST', '[::1]'],
    ['TEMPORAL_ADDRESS', 'localhost:70000'],
    ['TEMPORAL_ADDRESS', 'localhost:0'],
    ['TEMPORAL_ADDRESS', 'http://localhost:7233'],
  ])('refuses the %s %j, at which nothing can listen or be reached', (name, value) => {
    const read = readSettings(sharedSettings, { ...GOOD, [name]: value }, readFile);
    expect(read).toEqual({ issues: [expect.stringMatching(`^${name}: must be `)] });
  });

  test.each(['0.0.0.0', '::', '::1', '::ffff:10.0.0.1', 'fe80::1%eth0', 'localhost', 'api_1.internal'])(
    'listens on %s',
    (HOST) => {
      expect(readSettings(sharedSettings, { ...GOOD, HOST }, readFile)).toMatchObject({ settings: { HOST } });
    },
  );

  test('reads several secret keys', () => {
    const keys = `${'a'.repeat(32)}, ${'b'.repeat(32)}`;
    const read = readSettings(sharedSettings, { ...GOOD, SECRET_KEY: keys }, readFile);
    expect(read).toMatchObject({ settings: { SECRET_KEY: ['a'.repeat(32), 'b'.repeat(32)] } });
  });

  test('reads the headers for a collector of traces, whose values may be percent-encoded', () => {
    const list = 'authorization=Basic%20YTpi==, x-team=a%2Cb';
    const read = readSettings(sharedSettings, { ...GOOD, OTEL_EXPORTER_OTLP_HEADERS: list }, readFile);
    const headers = { authorization: 'Basic YTpi==', 'x-team': 'a,b' };
    expect(read).toMatchObject({ settings: { OTEL_EXPORTER_OTLP_HEADERS: headers } });
  });

  test.each(['authorization', '=value', 'a b=c', 'a=', 'a=%0d%0ab'])('refuses %j as headers', (list) => {
    const read = readSettings(sharedSettings, { ...GOOD, OTEL_EXPORTER_OTLP_HEADERS: list }, readFile);
    expect(read).toEqual({ issues: [expect.stringMatching(/^OTEL_EXPORTER_OTLP_HEADERS: must be name=value/)] });
  });

  test('reads a setting from a file that the environment names, without the line break at its end', () => {
    const { SECRET_KEY: _key, ...rest } = GOOD;
    const settings = { SECRET_KEY: ['f'.repeat(32)] };
    for (const key of [undefined, ''])
      expect(
        readSettings(sharedSettings, { ...rest, SECRET_KEY: key, SECRET_KEY_FILE: '/run/secrets/key' }, readFile),
      ).toMatchObject({ settings });
    expect(readSettings(sharedSettings, { ...GOOD, SECRET_KEY_FILE: '' }, readFile)).toHaveProperty('settings');
  });

  test('says what is wrong with a file, and repeats neither its path nor its content', () => {
    const { SECRET_KEY: _key, TEMPORAL_ADDRESS: _address, ...rest } = GOOD;
    const environment = {
      ...rest,
      DATABASE_URL_FILE: '/run/secrets/key',
      SECRET_KEY_FILE: 'a secret given in place of a path',
      TEMPORAL_ADDRESS_FILE: '/run/secrets/empty',
      LOG_LEVEL_FILE: '/run/secrets/key',
    };
    expect(readSettings(sharedSettings, environment, readFile)).toEqual({
      issues: [
        'DATABASE_URL: is given twice, by DATABASE_URL_FILE too',
        'TEMPORAL_ADDRESS_FILE: the file is empty',
        'SECRET_KEY_FILE: the file cannot be read (ENOENT)',
        'LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent',
      ],
    });
  });

  test('names every fault at once, and repeats no value', () => {
    const faulty = {
      DATABASE_URL: 'mysql://user:hunter2@localhost',
      TEMPORAL_ADDRESS: 'localhost',
      SECRET_KEY: 'hunter2',
      ALLOW_PRIVATE_HOSTS: '10.0.0.1',
      MARKETPLACE_INDEXES: 'ftp://user:hunter2@localhost/index.json',
      LOG_LEVEL: 'loud',
    };
    const read = readSettings(sharedSettings, faulty, readFile);
    const issues = 'issues' in read ? read.issues.join('\n') : '';
    const names = ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'SECRET_KEY', 'ALLOW_PRIVATE_HOSTS', 'LOG_LEVEL'];
    for (const name of [...names, 'MARKETPLACE_INDEXES']) expect(issues).toContain(name);
    expect(issues).not.toContain('hunter2');
  });

  test.each(['127.0.0.1:9464', '0.0.0.0:1', '[::1]:65535', ''])('takes %j as the address of metrics', (text) => {
    const read = readSettings(workerSettings, { ...GOOD, WORKER_METRICS_ADDRESS: text }, readFile);
    expect('settings' in read && (read.settings.WORKER_METRICS_ADDRESS ?? '')).toBe(text);
  });

  test.each(['9464', 'localhost:9464', '127.0.0.1', '127.0.0.1:0', '127.0.0.1:65536', '256.0.0.1:80', '::1:80'])(
    'refuses %j as the address of metrics',
    (text) => {
      expect(readSettings(workerSettings, { ...GOOD, WORKER_METRICS_ADDRESS: text }, readFile)).toEqual({
        issues: [expect.stringContaining('WORKER_METRICS_ADDRESS: must be an IP address and a port')],
      });
    },
  );
});

test('withSettings replaces what a variable or a file gives', () => {
  const environment = { SECRET_KEY_FILE: '/run/secrets/key', DATABASE_URL: 'before', DATABASE_URL_FILE: '', HOME: '/' };
  const settings = { SECRET_KEY: 'made', DATABASE_URL: 'after' };
  expect(withSettings(environment, settings)).toEqual({ ...settings, HOME: '/' });
});

test('settingsOf ends the process with a line of the log that names the files at fault', () => {
  const lines: string[] = [];
  const stopped = new Error('the process has ended');
  const process = {
    env: { ...GOOD, SECRET_KEY_FILE: '/run/secrets/key' },
    stderr: { write: (line: string) => lines.push(line) },
    exit: () => {
      throw stopped;
    },
  };
  expect(() => settingsOf(sharedSettings, process, readFile)).toThrow(stopped);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ msg: 'Invalid settings:\nSECRET_KEY: is given twice, by SECRET_KEY_FILE too' }),
  ]);
});
