import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { json, OutsideServer } from '../../../../test/support/outside-server.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { prometheusQuery, secondsOf } from './prometheus-query.ts';

describe('prometheus query', () => {
  const TOKEN = 'a-bearer-token-of-the-tests';
  let server: OutsideServer;
  let tools: TestTools;
  beforeAll(async () => {
    server = await OutsideServer.start();
    const metrics = { kind: 'prometheus', apiUrl: `${server.url}/api/v1`, secretPlaces: [] } as const;
    tools = await createTestTools({
      privateHosts: `127.0.0.1:${server.port}`,
      integrations: [
        { ...metrics, name: 'Metrics', fields: ['token'], secrets: { token: TOKEN } },
        { ...metrics, name: 'Open', fields: [], secrets: {} },
        { ...metrics, name: 'Basic', fields: ['user', 'password'], secrets: { user: 'ada', password: 'a-password' } },
      ],
    });
  });
  afterAll(async () => {
    await tools.close();
    server.close();
  });
  beforeEach(() => {
    server.seen.length = 0;
  });

  const use = async (args: ToolArguments) =>
    prepareCall(prometheusQuery, { integration: 'Metrics', ...args }).run(tools.context);
  const sentForm = () => Object.fromEntries(new URLSearchParams(server.seen[0]?.body));

  interface Shown {
    readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[];
    readonly left_out: string;
    readonly file: string;
  }

  function matrix(series: number, points: number) {
    const values = Array.from({ length: points }, (_, index) => [1_800_000_000 + index * 15, String(index)]);
    const result = Array.from({ length: series }, (_, index) => ({ metric: { instance: `i-${index}` }, values }));
    return { status: 'success', data: { resultType: 'matrix', result } };
  }

  describe('a query', () => {
    test('is sent as a form, and answered with its series and what Prometheus warns of', async () => {
      const result = [{ metric: { __name__: 'up', job: 'api' }, value: [1_800_000_000, '1'] }];
      const warnings = ['a store did not answer'];
      server.reply = json({ status: 'success', data: { resultType: 'vector', result }, warnings, infos: [] });
      const args = { action: 'query', query: 'up == 1', time: '2027-01-15T08:00:00Z' };
      expect(prometheusQuery.prepare(args)).toMatchObject({ effect: 'read', approval: 'never' });
      expect(await use(args)).toEqual({ value: { result_type: 'vector', result, warnings }, isForeign: true });
      expect(server.seen).toMatchObject([
        { method: 'POST', url: '/api/v1/query', headers: { authorization: `Bearer ${TOKEN}` } },
      ]);
      expect(sentForm()).toEqual({ query: 'up == 1', time: '1800000000', timeout: '25s' });
    });

    test.each([
      ['Open', undefined],
      ['Basic', `Basic ${Buffer.from('ada:a-password').toString('base64')}`],
    ])('goes to the server of %s with the credentials that it has', async (integration, authorization) => {
      server.reply = json({ status: 'success', data: { resultType: 'scalar', result: [1_800_000_000, '2'] } });
      const { value } = await use({ action: 'query', integration, query: '1 + 1' });
      expect(value).toEqual({ result_type: 'scalar', result: [1_800_000_000, '2'] });
      expect(server.seen[0]?.headers.authorization).toBe(authorization);
    });

    test('of a range has a step of about sixty points unless one is given', async () => {
      server.reply = json(matrix(1, 3));
      await use({ action: 'query_range', query: 'up', start: '1800000000', end: '1800086400' });
      expect(sentForm()).toMatchObject({ start: '1800000000', end: '1800086400', step: '1440' });
      server.seen.length = 0;
      const before = Math.floor(Date.now() / 1_000);
      await use({ action: 'query_range', query: 'up', step: '5m' });
      const { start, end, step } = sentForm();
      expect([Number(end) - Number(start), step]).toEqual([3_600, '5m']);
      expect(Number(end)).toBeGreaterThanOrEqual(before);
      expect(Number(end)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000));
    });

    test('with many series and points shows the newest of some, and keeps the whole in the workspace', async () => {
      const whole = matrix(45, 20);
      server.reply = json(whole);
      const { value } = await use({ action: 'query_range', query: 'up' });
      const { result, left_out: leftOut, file } = value as Shown;
      expect(result).toHaveLength(40);
      expect(result[0]?.values.map(([, each]) => each)).toEqual([
        '10',
        '11',
        '12',
        '13',
        '14',
        '15',
        '16',
        '17',
        '18',
        '19',
      ]);
      expect(leftOut).toBe('5 more series; points before the newest 10 of a series');
      expect(JSON.parse(await readFile(join(tools.home, file), 'utf8'))).toEqual(whole);
    });

    test.each([
      [400, { errorType: 'bad_data', error: '1:5: parse error: unexpected end of input' }, 'invalid_input'],
      [422, { errorType: 'execution', error: `many-to-many matching, ${TOKEN}` }, 'invalid_input'],
    ])('that is refused with %i says why in the words of Prometheus', async (status, words, kind) => {
      server.reply = json({ status: 'error', ...words }, status);
      const failure = use({ action: 'query', query: 'up +' });
      await expect(failure).rejects.toMatchObject({ kind, isForeign: true });
      const said = `${words.errorType}; ${words.error}`.replace(TOKEN, '***');
      await expect(failure).rejects.toMatchObject({ message: `Prometheus answers with the status ${status}: ${said}` });
    });

    test('of a range that ends before it begins is not sent', async () => {
      const range = { start: 'now', end: '-1h' };
      await expect(use({ action: 'query_range', query: 'up', ...range })).rejects.toMatchObject({
        kind: 'invalid_input',
        message: '`start` must not be after `end`',
      });
      expect(server.seen).toEqual([]);
    });

    test('that something else answers says to check the address', async () => {
      server.reply = json({ status: 'success', data: { resultType: 'table', result: [] } });
      await expect(use({ action: 'query', query: 'up' })).rejects.toThrow(/not that of the service's API.*base_url/);
    });
  });

  describe('a list', () => {
    test('of alerts begins with those that fire', async () => {
      const alert = (name: string, state: string) => ({
        labels: { alertname: name },
        annotations: {},
        state,
        value: '1',
      });
      const [disk, cpu] = [alert('Disk', 'pending'), { ...alert('Cpu', 'firing'), partialResponseStrategy: 'WARN' }];
      server.reply = json({ status: 'success', data: { alerts: [disk, cpu] } });
      expect((await use({ action: 'alerts' })).value).toEqual({ alerts: [alert('Cpu', 'firing'), disk] });
      expect((await use({ action: 'alerts', state: 'pending' })).value).toEqual({ alerts: [disk] });
      expect(server.seen[0]).toMatchObject({ method: 'GET', url: '/api/v1/alerts' });
    });

    test('of targets begins with those that are down, and has them alone if wanted', async () => {
      const target = (health: string) => ({
        health,
        labels: { job: health },
        lastError: '',
        scrapeUrl: 'http://a/metrics',
      });
      const activeTargets = [{ ...target('up'), discoveredLabels: { __address__: 'a' } }, target('down')];
      server.reply = json({ status: 'success', data: { activeTargets, droppedTargets: [] } });
      expect((await use({ action: 'targets' })).value).toEqual({ targets: [target('down'), target('up')] });
      expect((await use({ action: 'targets', unhealthy_only: true })).value).toEqual({ targets: [target('down')] });
      expect(server.seen[0]).toMatchObject({ url: '/api/v1/targets?state=active' });
    });

    test('of labels, or of the values of one, says how many more there are', async () => {
      server.reply = json({ status: 'success', data: ['job', 'instance'] });
      expect((await use({ action: 'labels' })).value).toEqual({ labels: ['job', 'instance'] });
      server.reply = json({ status: 'success', data: Array.from({ length: 501 }, (_, index) => `m_${index}`) });
      const { value } = await use({ action: 'labels', label: '__name__', match: ['{job="api"}', 'up'] });
      expect(value).toMatchObject({ left_out: '1 more values', file: expect.stringMatching(/-prometheus\.json$/) });
      const [, path] = server.seen.map(({ url }) => new URL(url, server.url));
      expect(path?.pathname).toBe('/api/v1/label/__name__/values');
      expect(path?.searchParams.getAll('match[]')).toEqual(['{job="api"}', 'up']);
    });
  });
});

describe('moment', () => {
  const NOW = 1_800_000_000;

  test.each([
    ['2027-01-15T08:00:00Z', 1_800_000_000],
    ['2027-01-15T09:00:00.5+01:00', 1_800_000_000.5],
    ['2027-01-15 08:00:00Z', 1_800_000_000],
    ['1799999999.25', 1_799_999_999.25],
    ['now', NOW],
    ['-90s', NOW - 90],
    ['now-1h30m', NOW - 5_400],
    ['-1w2d500ms', NOW - 777_600.5],
  ])('%s is the second %d', (text, seconds) => {
    expect(secondsOf(text, NOW)).toBe(seconds);
  });

  test.each([
    '',
    '-',
    'now-',
    'yesterday',
    '2027-01-15',
    '2027-01-15T08:00:00',
    '2027-13-45T08:00:00Z',
    '1h',
    '-1h x',
    '-1x',
    '-99999y',
  ])('%j is refused, with the ways to say a time', (text) => {
    expect(() => secondsOf(text, NOW)).toThrow(/is no time: give RFC 3339 with an offset/);
  });
});
