import { z } from 'zod';
import { ToolFailure } from '../../tool-failure.ts';
import { cursorParameter } from '../parameters.ts';
import { pickFields, readAnswer } from '../services/read-answer.ts';
import { actionsWith, defineServiceTool, type ServiceCall } from '../services/service-tool.ts';

const OBJECTS = [
  'customers',
  'payment_intents',
  'charges',
  'refunds',
  'invoices',
  'subscriptions',
  'products',
  'prices',
  'payment_links',
  'disputes',
  'payouts',
  'balance_transactions',
] as const;
const SEARCHABLE: ReadonlySet<string> = new Set([
  'customers',
  'payment_intents',
  'charges',
  'invoices',
  'subscriptions',
  'products',
  'prices',
]);
const MAX_ITEMS = 50;
/** The status while an earlier request with the key, or another one for the object, is in progress. */
const BUSY = 409;
const BUSY_WAIT_MS = 5_000;

const values = z.record(z.string().regex(/^\w{1,100}$/), z.unknown());
const parameters = z.strictObject({
  object: z.enum(OBJECTS).optional().describe('In search, get and list: the kind of object.'),
  id: z
    .string()
    .regex(/^\w{1,255}$/)
    .optional()
    .describe('Id of the object; in refund that of a charge or payment intent.'),
  query: z
    .string()
    .max(1_000)
    .optional()
    .describe("In search, such as `email:'ann@example.com' AND created>1700000000`."),
  params: values
    .optional()
    .describe("Stripe's own parameters: filters of list, fields of what is created. Amounts are in the smallest unit."),
  items: z
    .array(values)
    .max(MAX_ITEMS)
    .optional()
    .describe('In create_invoice: its items, such as {"amount":1500,"currency":"eur","description":"Consulting"}.'),
  limit: z.int().min(1).max(100).optional().describe('10 unless given.'),
  cursor: cursorParameter,
});

const { keyed, read } = actionsWith<z.output<typeof parameters>>();
const page = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  has_more: z.boolean(),
  next_page: z.string().nullish(),
});
const created = z.looseObject({ id: z.string().regex(/^\w+$/) });

const ACTIONS = {
  search: read(['object', 'query'], async ({ object, query, limit = 10, cursor }, { service }) => {
    if (!SEARCHABLE.has(object))
      throw new ToolFailure('invalid_input', `Stripe searches ${[...SEARCHABLE].join(', ')} only; use list`);
    const path = `/${object}/search`;
    const { data, next_page: next } = await service.read({ path, query: { query, limit, page: cursor } }, page);
    return { [object]: data.map(presentObject), next: next ?? undefined };
  }),
  get: read(['object', 'id'], async ({ object, id }, { service }) =>
    presentObject((await service.request({ path: `/${object}/${id}` })).json()),
  ),
  list: read(['object'], async ({ object, params = {}, limit = 10, cursor }, { service }) => {
    const query = Object.fromEntries(formFields({ ...params, limit, starting_after: cursor }));
    const { data, has_more: hasMore } = await service.read({ path: `/${object}`, query }, page);
    return { [object]: data.map(presentObject), next: hasMore ? data.at(-1)?.id : undefined };
  }),
  create_invoice: keyed(['params'], { approval: 'always' }, async ({ params, items = [] }, call) => {
    const answer = await create('/invoices', { ...params, auto_advance: false }, call);
    if (items.length === 0) return presentObject(answer.json());
    const { id: invoice, customer } = readAnswer(answer, created);
    for (const [at, item] of items.entries())
      await addItem({ ...item, customer, invoice }, { at, of: items.length }, call);
    // Its failure leaves a draft behind, like that of a write.
    return presentObject((await call.service.request({ path: `/invoices/${invoice}`, effect: 'keyed' })).json());
  }),
  refund: keyed(['id'], { approval: 'always' }, async ({ id, params }, call) => {
    const paid = id.startsWith('pi_') ? 'payment_intent' : 'charge';
    return presentObject((await create('/refunds', { ...params, [paid]: id }, call)).json());
  }),
  create_payment_link: keyed(['params'], { approval: 'always' }, async ({ params }, call) =>
    pickFields((await create('/payment_links', params, call)).json(), 'id url active livemode'),
  ),
};

const MAX_DEPTH = 8;
const MAX_FIELDS = 500;

/**
 * The relevant fields of all Stripe objects. Client secrets, with which a payment can be confirmed, are not among them.
 */
const FIELDS =
  'id object livemode status name email phone number description amount amount_due amount_paid amount_refunded amount_remaining amount_received unit_amount subtotal total fee net currency quantity balance customer customer_email charge latest_charge payment_intent invoice subscription product default_price price recurring active paid refunded disputed delinquent reason failure_code failure_message cancellation_reason collection_method auto_advance created due_date arrival_date start_date trial_end current_period_start current_period_end cancel_at cancel_at_period_end canceled_at ended_at hosted_invoice_url receipt_url url metadata';

/** The lists within an object, such as the lines of an invoice. */
const LISTS = ['lines', 'items'];
const MAX_INNER = 100;
const listed = z.object({ data: z.array(z.unknown()) });

/**
 * Reads customers and payments in Stripe. Each write sends the key of its call, to which Stripe gives the same answer
 * again, and waits for a person.
 */
export const stripe = defineServiceTool({
  key: 'stripe',
  name: 'Stripe',
  description:
    'Looks up customers, payments, invoices and subscriptions in Stripe; creates draft invoices, refunds and payment links.',
  category: 'business',
  kinds: ['stripe'],
  parameters,
  actions: ACTIONS,
});

interface InvoiceItem extends Readonly<Record<string, unknown>> {
  readonly invoice: string;
}

// The invoice is there by then: a model that sees a failure alone would draft another one.
async function addItem(item: InvoiceItem, { at, of }: { at: number; of: number }, call: ServiceCall): Promise<void> {
  try {
    await create('/invoiceitems', item, call, `-item-${at}`);
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.waitMs !== undefined) throw error;
    const words = `The draft invoice ${item.invoice} was made with ${at} of its ${of} items`;
    throw new ToolFailure(error.kind, `${words}: ${error.message}`, {
      isUncertain: true,
      isForeign: true,
      cause: error,
    });
  }
}

async function create(
  path: string,
  fields: Readonly<Record<string, unknown>>,
  { service, context }: ServiceCall,
  step = '',
) {
  const answer = await service.request({
    method: 'POST',
    path,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Idempotency-Key': `${context.idempotencyKey}${step}`,
    },
    body: new URLSearchParams(formFields(fields)).toString(),
    accepts: [BUSY],
  });
  if (answer.status !== BUSY) return answer;
  throw new ToolFailure('rate_limited', 'Stripe is still processing an earlier identical request', {
    waitMs: BUSY_WAIT_MS,
  });
}

/**
 * Returns the form fields that encode a value, as PHP and Rails read them: `{ a: [{ b: 1 }] }` is `a[0][b]=1`. Throws
 * `ToolFailure` for a value that is too large or too deep.
 */
function formFields(value: Readonly<Record<string, unknown>>): [string, string][] {
  const fields = Object.entries(value).flatMap(([name, each]) => fieldsOf(name, each, MAX_DEPTH));
  if (fields.length > MAX_FIELDS) throw new ToolFailure('invalid_input', `There may be ${MAX_FIELDS} values at most`);
  return fields;
}

function fieldsOf(name: string, value: unknown, depth: number): [string, string][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
  if (depth === 0) throw new ToolFailure('invalid_input', `The values of ${name} nest too deep`);
  return Object.entries(value).flatMap(([key, each]) => fieldsOf(`${name}[${key}]`, each, depth - 1));
}

/** Returns an object of Stripe with what matters of it, and of the objects in it. */
function presentObject(object: unknown): unknown {
  if (typeof object !== 'object' || object === null) return object;
  const members = new Map<string, unknown>(Object.entries(object));
  const lists = LISTS.flatMap((name) => {
    const data = listed.safeParse(members.get(name)).data?.data;
    return data === undefined ? [] : [[name, pickFields(data.slice(0, MAX_INNER), FIELDS)]];
  });
  return { ...(pickFields(object, FIELDS) as object), ...Object.fromEntries(lists) };
}
