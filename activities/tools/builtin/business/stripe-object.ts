import { z } from 'zod';
import { pickFields } from '../services/pick-fields.ts';

/** What matters of any of Stripe's objects. Client secrets, with which a payment can be confirmed, are not among it. */
const FIELDS = [
  'id',
  'object',
  'livemode',
  'status',
  'name',
  'email',
  'phone',
  'number',
  'description',
  'amount',
  'amount_due',
  'amount_paid',
  'amount_refunded',
  'amount_remaining',
  'amount_received',
  'unit_amount',
  'subtotal',
  'total',
  'fee',
  'net',
  'currency',
  'quantity',
  'balance',
  'customer',
  'customer_email',
  'charge',
  'latest_charge',
  'payment_intent',
  'invoice',
  'subscription',
  'product',
  'default_price',
  'price',
  'recurring',
  'active',
  'paid',
  'refunded',
  'disputed',
  'delinquent',
  'reason',
  'failure_code',
  'failure_message',
  'cancellation_reason',
  'collection_method',
  'auto_advance',
  'created',
  'due_date',
  'arrival_date',
  'start_date',
  'trial_end',
  'current_period_start',
  'current_period_end',
  'cancel_at',
  'cancel_at_period_end',
  'canceled_at',
  'ended_at',
  'hosted_invoice_url',
  'receipt_url',
  'url',
  'metadata',
];

/** The lists within an object, such as the lines of an invoice. */
const LISTS = ['lines', 'items'];
const MAX_INNER = 100;
const listed = z.object({ data: z.array(z.unknown()) });

/** Returns an object of Stripe with what matters of it, and of the objects in it. */
export function presentObject(object: unknown): unknown {
  if (typeof object !== 'object' || object === null) return object;
  const members = new Map<string, unknown>(Object.entries(object));
  const lists = LISTS.flatMap((name) => {
    const data = listed.safeParse(members.get(name)).data?.data;
    return data === undefined ? [] : [[name, pickFields(data.slice(0, MAX_INNER), FIELDS)]];
  });
  return { ...(pickFields(object, FIELDS) as object), ...Object.fromEntries(lists) };
}
