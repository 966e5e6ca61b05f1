import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { json } from '../../../../test/support/outside-server.ts';
import { type ServiceFixture, startService } from '../../../../test/support/services/service-fixture.ts';
import { hubspot } from './hubspot.ts';

const TOKEN = 'pat-na1-a-token-of-the-tests';
let fixture: ServiceFixture;
beforeAll(async () => {
  fixture = await startService(hubspot, { kind: 'hubspot', secrets: { token: TOKEN } });
});
afterAll(async () => fixture.close());
beforeEach(() => {
  fixture.server.seen.length = 0;
});

const use: ServiceFixture['use'] = async (args) => fixture.use(args);
const bodies = () => fixture.server.seen.map(({ body }) => (body === '' ? undefined : (JSON.parse(body) as unknown)));
const CONTACT = {
  id: '51',
  properties: { email: 'ann@example.com' },
  createdAt: '2026-01-01',
  updatedAt: '2026-01-02',
  archived: false,
};

describe('hubspot', () => {
  test('searches by words and filters, page by page', async () => {
    fixture.server.reply = json({
      total: 40,
      results: [{ ...CONTACT, url: 'x' }],
      paging: { next: { after: '25', link: 'x' } },
    });
    const filters = [{ property: 'lifecyclestage', operator: 'IN', values: ['lead'] }];
    const args = { action: 'search', object: 'contacts', query: 'ann', filters, fields: ['email'], cursor: '0' };
    expect(await use(args)).toEqual({ total: 40, records: [CONTACT], next: '25' });
    expect(fixture.server.seen).toMatchObject([
      { method: 'POST', url: '/crm/v3/objects/contacts/search', headers: { authorization: `Bearer ${TOKEN}` } },
    ]);
    const filterGroups = [{ filters: [{ propertyName: 'lifecyclestage', operator: 'IN', values: ['lead'] }] }];
    expect(bodies()).toEqual([{ query: 'ann', filterGroups, properties: ['email'], limit: 25, after: '0' }]);
  });

  test('reads a record with what it is connected with', async () => {
    fixture.server.reply = json({
      ...CONTACT,
      associations: { deals: { results: [{ id: '9', type: 'contact_to_deal' }] } },
    });
    expect(await use({ action: 'get', object: 'contacts', id: '51', fields: ['email'] })).toMatchObject({
      id: '51',
      associations: { deals: {} },
    });
    expect(fixture.server.seen[0]?.url).toBe(
      '/crm/v3/objects/contacts/51?properties=email&associations=companies%2Cdeals%2Ctickets',
    );
  });

  test.each([
    [
      { action: 'create', object: 'deals', properties: { dealname: 'Big', amount: 5 } },
      'once',
      'POST',
      '/crm/v3/objects/deals',
      { properties: { dealname: 'Big', amount: 5 } },
    ],
    [
      { action: 'update', object: 'deals', id: '9', properties: { dealstage: 'won' } },
      'keyed',
      'PATCH',
      '/crm/v3/objects/deals/9',
      { properties: { dealstage: 'won' } },
    ],
    [
      { action: 'associate', object: 'contacts', id: '51', to_object: 'deals', to_id: '9' },
      'keyed',
      'PUT',
      '/crm/v4/objects/contacts/51/associations/default/deals/9',
      undefined,
    ],
  ])('writes what %j says', async (args, effect, method, url, body) => {
    fixture.server.reply = json({ id: '9', properties: {} }, 201);
    expect(hubspot.prepare(args)).toMatchObject({ effect, approval: 'writes' });
    expect(await use(args)).not.toHaveProperty('properties');
    expect(fixture.server.seen).toMatchObject([{ method, url }]);
    expect(bodies()).toEqual([body]);
  });

  test('adds a note of Markdown as clean HTML', async () => {
    fixture.server.reply = json({ id: '77', createdAt: '2026-01-01' }, 201);
    const args = { action: 'note', object: 'companies', id: '5', note: '**Called** <script>alert(1)</script>' };
    expect(hubspot.prepare(args)).toMatchObject({ effect: 'once' });
    expect(await use(args)).toEqual({ id: '77', createdAt: '2026-01-01' });
    const types = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 190 }];
    expect(bodies()).toEqual([
      {
        properties: {
          hs_note_body: expect.stringMatching(/^<p><strong>Called<\/strong>\s*<\/p>\s*$/),
          hs_timestamp: expect.stringMatching(/^\d{4}-/),
        },
        associations: [{ to: { id: '5' }, types }],
      },
    ]);
  });

  test('lists properties and pipelines', async () => {
    fixture.server.reply = json({ results: [{ name: 'email', label: 'Email', type: 'string', hidden: false }] });
    expect(await use({ action: 'list_properties', object: 'contacts' })).toEqual({
      properties: [{ name: 'email', label: 'Email', type: 'string' }],
    });
    fixture.server.reply = json({
      results: [{ id: 'p', label: 'Sales', stages: [{ id: 's', label: 'Won', metadata: {} }] }],
    });
    expect(await use({ action: 'list_pipelines', object: 'deals' })).toEqual({
      pipelines: [{ id: 'p', label: 'Sales', stages: [{ id: 's', label: 'Won' }] }],
    });
    expect(fixture.server.seen.map(({ url }) => url)).toEqual([
      '/crm/v3/properties/contacts',
      '/crm/v3/pipelines/deals',
    ]);
  });

  test.each([
    [{ action: 'get', object: '../x', id: '1' }, /object/],
    [{ action: 'get', object: 'contacts', id: '1/../2' }, /id/],
    [{ action: 'note', object: 'quotes', id: '1', note: 'x' }, /Notes are added to contacts/],
    [{ action: 'update', object: 'deals', id: '1', properties: { 'a\r\nb': 1 } }, /properties/],
  ])('refuses %j before anything is sent', async (args, words) => {
    await expect(use(args)).rejects.toMatchObject({ kind: 'invalid_input', message: expect.stringMatching(words) });
    expect(fixture.server.seen).toEqual([]);
  });

  test.each([
    [
      400,
      { status: 'error', message: 'Property "nmae" does not exist', category: 'VALIDATION_ERROR' },
      'invalid_input',
      /"nmae" does not exist/,
    ],
    [401, { status: 'error', message: `Token ${TOKEN} expired` }, 'denied', /Token \*\*\* expired/],
    [409, { status: 'error', message: 'Contact already exists. Existing ID: 51' }, 'invalid_input', /Existing ID: 51/],
    [
      429,
      { status: 'error', message: 'You have reached your secondly limit.', errorType: 'RATE_LIMIT' },
      'rate_limited',
      /secondly limit/,
    ],
    [200, { results: [] }, 'upstream', /not that of the service's API/],
  ])('tells the status %i in the words of HubSpot', async (status, body, kind, words) => {
    fixture.server.reply = (response, request) => {
      response.setHeader('retry-after', '60');
      json(body, status)(response, request);
    };
    const failure = use({ action: 'search', object: 'contacts' });
    await expect(failure).rejects.toMatchObject({ kind, ...(status === 429 && { waitMs: 61_000 }) });
    await expect(failure).rejects.toThrow(words);
  });
});
