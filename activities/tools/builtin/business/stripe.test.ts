import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import StripeClient from 'stripe';
import { json } from '../../../../test/support/outside-server.ts';
import { type ServiceFixture, startService } from '../../../../test/support/services/service-fixture.ts';
import { StripeApi } from '../../../../test/support/services/stripe-api.ts';
import { integrationKind } from '../../../../domain/integrations/kinds/index.ts';
import { stripe } from './stripe.ts';

const KEY = 'rk_test_a-key-of-the-tests';
let fixture: ServiceFixture;
let api: StripeApi;
let client: StripeClient;
beforeAll(async () => {
  fixture = await startService(stripe, { kind: 'stripe', secrets: { api_key: KEY } });
  client = new StripeClient(KEY, {
    host: '127.0.0.1',
    port: fixture.server.port,
    protocol: 'http',
    maxNetworkRetries: 0,
  });
});
afterAll(async () => fixture.close());
beforeEach(() => {
  api = new StripeApi();
  fixture.server.reply = api.reply;
  fixture.server.seen.length = 0;
});

const use: ServiceFixture['use'] = async (args) => fixture.use(args);

describe('stripe', () => {
  test('asks for the version of the API that it was written for', async () => {
    await use({ action: 'list', object: 'customers' });
    const { authorization, 'stripe-version': version } = fixture.server.seen[0]?.headers ?? {};
    expect([authorization, version]).toEqual([`Bearer ${KEY}`, integrationKind('stripe').headers?.['Stripe-Version']]);
    expect(version).toBe(StripeClient.API_VERSION);
  });

  test('finds what the vendor client has created, page by page, with what matters of it', async () => {
    for (const name of ['Ann', 'Ben', 'Cem'])
      await client.customers.create({ name, email: 'team@example.com', metadata: { plan: 'pro' } });
    const query = "email:'team@example.com'";
    const first = await use({ action: 'search', object: 'customers', query, limit: 2 });
    expect(first).toMatchObject({
      customers: [{ name: 'Cem', metadata: { plan: 'pro' } }, { name: 'Ben' }],
      next: '2',
    });
    expect(await use({ action: 'search', object: 'customers', query, limit: 2, cursor: '2' })).toEqual({
      customers: [expect.objectContaining({ name: 'Ann', object: 'customer', livemode: false })],
    });
    const listed = await use({ action: 'list', object: 'customers', limit: 2, params: { created: { gte: 5 } } });
    expect(listed).toMatchObject({ customers: [{ name: 'Cem' }, { name: 'Ben' }], next: 'cus_2' });
    expect(await use({ action: 'list', object: 'customers', cursor: 'cus_2' })).toMatchObject({
      customers: [{ name: 'Ann' }],
    });
    expect(fixture.server.seen.at(-2)?.url).toBe('/v1/customers?created%5Bgte%5D=5&limit=2');
  });

  test('drafts an invoice with its items, which the vendor client reads, and a repetition drafts no second one', async () => {
    const { id: customer } = await client.customers.create({ name: 'Ann' });
    const items = [
      { amount: 1_500, currency: 'eur', description: 'Consulting' },
      { amount: 500, currency: 'eur', metadata: { hours: 1 } },
    ];
    const args = { action: 'create_invoice', params: { customer, auto_advance: true }, items };
    expect(stripe.prepare(args)).toMatchObject({ effect: 'keyed', approval: 'always' });
    const made = await use(args);
    expect(made).toMatchObject({
      status: 'draft',
      customer,
      total: 2_000,
      lines: [{ amount: '500' }, { amount: '1500' }],
    });
    expect(made).not.toHaveProperty('client_secret');
    expect(await use(args)).toEqual(made);
    expect(api.objects.get('invoices')).toHaveLength(1);
    const read = await client.invoices.retrieve((made as { id: string }).id);
    expect(read).toMatchObject({
      auto_advance: 'false',
      total: 2_000,
      lines: { data: [{ metadata: { hours: '1' } }, {}] },
    });
    expect(fixture.server.seen[1]?.headers['idempotency-key']).toBe(fixture.tools.context.idempotencyKey);
  });

  test('makes a write again for which Stripe is still at work, and does not blame the model', async () => {
    const error = { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'There is another request' };
    fixture.server.reply = json({ error }, 409);
    const refund = use({ action: 'refund', id: 'ch_1' });
    await expect(refund).rejects.toMatchObject({ kind: 'rate_limited', waitMs: 5_000, isUncertain: false });
  });

  test('reports the draft that is left when an item is refused, and does not say that nothing has happened', async () => {
    const { id: customer } = await client.customers.create({ name: 'Ann' });
    fixture.server.reply = (response, request) => {
      const isRefused = request.url === '/v1/invoiceitems' && request.body.includes('amount=none');
      if (isRefused) json({ error: { message: 'Invalid integer: none' } }, 400)(response, request);
      else api.reply(response, request);
    };
    const items = [
      { amount: 1_500, currency: 'eur' },
      { amount: 'none', currency: 'eur' },
    ];
    await expect(use({ action: 'create_invoice', params: { customer }, items })).rejects.toMatchObject({
      kind: 'invalid_input',
      isUncertain: true,
      message: expect.stringMatching(
        /^The draft invoice in_\d+ was made with 1 of its 2 items: .*Invalid integer: none$/,
      ),
    });
  });

  test.each([
    ['refund', { id: 'pi_1', params: { amount: 100 } }, 'amount=100&payment_intent=pi_1'],
    ['refund', { id: 'ch_1' }, 'charge=ch_1'],
    [
      'create_payment_link',
      { params: { line_items: [{ price: 'price_1', quantity: 2 }] } },
      'line_items%5B0%5D%5Bprice%5D=price_1&line_items%5B0%5D%5Bquantity%5D=2',
    ],
  ])(
    'sends the form of %s %j with the key of the call, whatever a person decides for other tools',
    async (action, more, body) => {
      const args = { action, ...more };
      expect(stripe.prepare(args)).toMatchObject({ effect: 'keyed', approval: 'always' });
      await use(args);
      const [{ body: sent, headers } = { body: '', headers: {} }] = fixture.server.seen;
      expect(sent).toBe(body);
      expect(headers).toMatchObject({
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': fixture.tools.context.idempotencyKey,
      });
    },
  );

  test('the server of the tests repeats its answer for a key, as the vendor client sees it', async () => {
    const options = { idempotencyKey: 'a-key' };
    const first = await client.refunds.create({ charge: 'ch_1' }, options);
    const second = await client.refunds.create({ charge: 'ch_1' }, options);
    expect([second.id, second.lastResponse.headers['idempotent-replayed']]).toEqual([first.id, 'true']);
    await expect(client.refunds.create({ charge: 'ch_2' }, options)).rejects.toThrow(
      StripeClient.errors.StripeIdempotencyError,
    );
  });

  test.each([
    [
      'a kind of object that cannot be searched',
      { action: 'search', object: 'payouts', query: 'x' },
      /searches customers/,
    ],
    ['an id that is a path', { action: 'get', object: 'customers', id: '../charges' }, /id/],
    ['values that nest too deep', { action: 'list', object: 'customers', params: { a: nested(10) } }, /nest too deep/],
    [
      'endless values',
      { action: 'list', object: 'customers', params: { a: Array(600).fill(1) } },
      /500 values at most/,
    ],
  ])('refuses %s before anything is sent', async (_what, args, words) => {
    await expect(use(args)).rejects.toMatchObject({ kind: 'invalid_input', message: expect.stringMatching(words) });
    expect(fixture.server.seen).toEqual([]);
  });

  test.each([
    [400, { error: { message: `No such customer, says ${KEY}` } }, 'invalid_input', /No such customer, says \*\*\*/],
    [401, { error: { message: 'Expired API Key provided' } }, 'denied', /Expired API Key/],
    [429, { error: { message: 'Too many requests' } }, 'rate_limited', /Too many requests/],
    [200, ['nothing', 'of the kind'], 'upstream', /not that of the service's API/],
  ])('tells the status %i in the words of Stripe', async (status, body, kind, words) => {
    fixture.server.reply = (response, request) => {
      response.setHeader('retry-after', '40');
      json(body, status)(response, request);
    };
    const failure = use({ action: 'list', object: 'customers' });
    await expect(failure).rejects.toMatchObject({ kind, ...(status === 429 && { waitMs: 41_000 }) });
    await expect(failure).rejects.toThrow(words);
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) };
}
