import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { json } from '../../../../test/support/outside-server.ts';
import { type ServiceFixture, startService } from '../../../../test/support/services/service-fixture.ts';
import { airtable } from './airtable.ts';

const TOKEN = 'pat-a-token-of-the-tests';
let fixture: ServiceFixture;
beforeAll(async () => {
  fixture = await startService(airtable, { kind: 'airtable', secrets: { token: TOKEN } });
});
afterAll(async () => fixture.close());
beforeEach(() => {
  fixture.server.seen.length = 0;
});

const use: ServiceFixture['use'] = async (args) => fixture.use(args);
const bodies = () => fixture.server.seen.map(({ body }) => (body === '' ? undefined : (JSON.parse(body) as unknown)));
const IN_TABLE = { base_id: 'app1', table: 'To do / now?' };
const PATH = '/v0/app1/To%20do%20%2F%20now%3F';
const RECORD = { id: 'rec1', createdTime: '2026-01-01T00:00:00.000Z', fields: { Name: 'Ann' } };

describe('airtable', () => {
  test('lists records by a formula, page by page', async () => {
    fixture.server.reply = json({ records: [{ ...RECORD, commentCount: 2 }], offset: 'itr/rec1' });
    const more = {
      formula: '{Name} = "Ann"',
      sort: [{ field: 'Name', direction: 'desc' }],
      limit: 1,
      cursor: 'itr/rec0',
    };
    expect(await use({ action: 'list', ...IN_TABLE, ...more })).toEqual({ records: [RECORD], next: 'itr/rec1' });
    expect(fixture.server.seen).toMatchObject([
      { method: 'POST', url: `${PATH}/listRecords`, headers: { authorization: `Bearer ${TOKEN}` } },
    ]);
    expect(bodies()).toEqual([{ filterByFormula: more.formula, sort: more.sort, pageSize: 1, offset: 'itr/rec0' }]);
  });

  test.each([
    { action: 'get', effect: 'read', method: 'GET', path: '/rec1', more: { record_id: 'rec1' }, output: RECORD },
    { action: 'create', effect: 'once', method: 'POST', path: '', more: { fields: { Name: 'Ann' } }, output: RECORD },
    {
      action: 'update',
      effect: 'keyed',
      method: 'PATCH',
      path: '/rec1',
      more: { record_id: 'rec1', fields: { Age: null } },
      output: RECORD,
    },
    {
      action: 'delete',
      effect: 'keyed',
      method: 'DELETE',
      path: '/rec1',
      more: { record_id: 'rec1' },
      output: { id: 'rec1', deleted: true },
    },
  ])('makes the request of $action', async ({ action, effect, method, path, more, output }) => {
    fixture.server.reply = json(output);
    const args = { action, ...IN_TABLE, ...more };
    expect(airtable.prepare(args)).toMatchObject({ effect, approval: 'writes' });
    expect(await use(args)).toEqual(output);
    expect(fixture.server.seen).toMatchObject([{ method, url: `${PATH}${path}` }]);
    expect(bodies()).toEqual([more.fields === undefined ? undefined : { fields: more.fields }]);
  });

  test('lists bases, and the tables of one with their fields and choices', async () => {
    fixture.server.reply = json({ bases: [{ id: 'app1', name: 'Work', permissionLevel: 'edit' }], offset: 'o-2' });
    expect(await use({ action: 'list_bases', cursor: 'o-1' })).toEqual({
      bases: [{ id: 'app1', name: 'Work', permissionLevel: 'edit' }],
      next: 'o-2',
    });
    const fields = [
      { id: 'fld1', name: 'Name', type: 'singleLineText' },
      {
        id: 'fld2',
        name: 'Status',
        type: 'singleSelect',
        options: { choices: [{ id: 's', name: 'Open', color: 'red' }] },
      },
    ];
    fixture.server.reply = json({
      tables: [{ id: 'tbl1', name: 'People', primaryFieldId: 'fld1', fields, views: [] }],
    });
    expect(await use({ action: 'schema', base_id: 'app1' })).toEqual({
      tables: [
        {
          id: 'tbl1',
          name: 'People',
          fields: [
            { name: 'Name', type: 'singleLineText' },
            { name: 'Status', type: 'singleSelect', choices: ['Open'] },
          ],
        },
      ],
    });
    expect(fixture.server.seen.map(({ url }) => url)).toEqual([
      '/v0/meta/bases?offset=o-1',
      '/v0/meta/bases/app1/tables',
    ]);
  });

  test.each([
    { ...IN_TABLE, table: '..' },
    { ...IN_TABLE, table: 'a\r\nb' },
    { ...IN_TABLE, base_id: 'app1/../meta' },
    { ...IN_TABLE, record_id: 'rec1/../rec2' },
  ])('refuses %j before anything is sent', async (args) => {
    await expect(use({ action: 'list', ...args })).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(fixture.server.seen).toEqual([]);
  });

  test('takes a record that a repeated call finds gone for deleted, and no other', async () => {
    const repeated = await startService(airtable, { kind: 'airtable', secrets: { token: TOKEN }, isRepeated: true });
    const args = { action: 'delete', ...IN_TABLE, record_id: 'rec1' };
    repeated.server.reply = json({ error: 'NOT_FOUND' }, 404);
    fixture.server.reply = repeated.server.reply;
    expect(await repeated.use(args)).toEqual({ id: 'rec1', deleted: true });
    await repeated.close();
    await expect(use(args)).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('waits for the 30 seconds in which Airtable refuses further requests', async () => {
    fixture.server.reply = json({ errors: [{ error: 'RATE_LIMIT_REACHED', message: 'Rate limit exceeded' }] }, 429);
    const failure = use({ action: 'create', ...IN_TABLE, fields: {} });
    await expect(failure).rejects.toMatchObject({ kind: 'rate_limited', waitMs: 30_000, isUncertain: false });
  });

  test.each([
    [
      401,
      { error: { type: 'AUTHENTICATION_REQUIRED', message: `Invalid token ${TOKEN}` } },
      'denied',
      /Invalid token \*\*\*/,
    ],
    [404, { error: 'NOT_FOUND' }, 'not_found', /NOT_FOUND/],
    [
      422,
      { error: { type: 'UNKNOWN_FIELD_NAME', message: 'Unknown field name: "Nmae"' } },
      'invalid_input',
      /Unknown field name: "Nmae"/,
    ],
    [200, { records: 'x' }, 'upstream', /not that of the service's API/],
  ])('tells the status %i in the words of Airtable', async (status, body, kind, words) => {
    fixture.server.reply = json(body, status);
    const failure = use({ action: 'list', ...IN_TABLE });
    await expect(failure).rejects.toMatchObject({ kind });
    await expect(failure).rejects.toThrow(words);
  });
});
