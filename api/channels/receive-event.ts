import { createHmac, randomBytes } from 'node:crypto';
import { channelSecrets, findChannel, noteChannelError, type ReceivingChannel } from '../../db/channels/channels.ts';
import { takeChannelEvent } from '../../db/channels/events.ts';
import { UnreadableSecret } from '../../db/core/secret-box.ts';
import { readSlackEvent } from '../../domain/channels.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import { readSlackInteraction } from '../../domain/decision-buttons.ts';
import { isSame } from '../access/bearer.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineDeliveryRoute, type Delivery, type StrangerRequest } from '../http/define-route.ts';
import { InvalidRequest } from '../http/problem.ts';
import { idParams } from '../resources/id-fields.ts';
import { decideByButton } from './decide-by-button.ts';
import { eventSchema, receiptSchema } from './schema.ts';

/** How old a request may be, as Slack recommends. */
const MAX_AGE_SECONDS = 300;
const SIGNATURE = 'x-slack-signature';

const params = idParams('channel_id');

/** Returns whether Slack has signed a request with the secret, lately. Takes as long for a wrong signature. */
export function isSignedBySlack({ header, body }: Delivery, secret: string): boolean {
  const time = header('x-slack-request-timestamp') ?? '';
  const expected = createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest('hex');
  const isRecent = /^\d{1,12}$/.test(time) && Math.abs(Date.now() / 1_000 - Number(time)) <= MAX_AGE_SECONDS;
  return isSame(header(SIGNATURE) ?? '', `v0=${expected}`) && isRecent;
}

/**
 * Stores what somebody has written to an agent in Slack, before Slack is answered, and takes what they decide by a
 * button. Nothing of it is logged.
 */
export const receiveEventRoute = defineDeliveryRoute({
  method: 'post',
  path: '/api/channels/{channel_id}/events',
  resource: 'channels',
  action: 'receive',
  access: 'public',
  audit: false,
  tag: 'Channels',
  operationId: 'receiveChannelEvent',
  summary: 'For Slack: deliver an event or an interaction',
  description:
    'The `events_url` of a channel, signed by Slack with `X-Slack-Signature` and `X-Slack-Request-Timestamp`, which is at most five minutes old. An unknown channel and a wrong signature are answered alike. An event counts once. An interaction comes as a form with its JSON in `payload`: who was asked for an approval in Slack decides by a button of that message.',
  params,
  delivery: eventSchema,
  response: { status: 200, schema: receiptSchema },
  letIn,
  handler: async ({ params: { channel_id: channelId }, delivery, ip }, context) => {
    const { database, requestLimits } = context;
    const channel = await findChannel(database, channelId);
    // Somebody without the secret learns nothing, not even by the time that it takes.
    const secret = channel === undefined ? randomBytes(32).toString('hex') : await secretOf(context, channel);
    if (!isSignedBySlack(delivery, secret) || channel === undefined) {
      // All others were counted before.
      if (channel !== undefined && delivery.header(SIGNATURE) !== undefined) await requestLimits.countStranger(ip);
      throw new AppError('not_found', 'There is no such channel, or the signature does not match its secret');
    }
    const { orgId } = channel;
    await requestLimits.countWebhook({ id: channelId, orgId });
    if (isForm(delivery)) return { status: await takeInteraction(context, { channel, delivery, ip }) };
    const event = readSlackEvent(payloadOf(delivery));
    if (event?.kind === 'challenge') return { status: 'accepted' as const, challenge: event.challenge };
    if (event === undefined || !channel.isActive) return { status: 'ignored' as const };
    const isNew = await takeChannelEvent(database, { orgId, channelId }, event);
    return { status: isNew ? ('accepted' as const) : ('repeated' as const) };
  },
});

const KEY_LOST = 'Its secret cannot be decrypted with the keys that the server has: set the secret again';

async function secretOf({ database, box }: ApiContext, channel: ReceivingChannel): Promise<string> {
  try {
    return channelSecrets.open(box, channel, channel.secret);
  } catch (error) {
    const { orgId, id: channelId } = channel;
    if (error instanceof UnreadableSecret) await noteChannelError(database, { orgId, channelId }, KEY_LOST);
    throw error;
  }
}

// Slack sends for all organizations from the same addresses, so each channel has a limit of its own. Those who guess
// are counted by address.
async function letIn({ params: sent, ip, header }: StrangerRequest, context: ApiContext): Promise<void> {
  const { data } = params.safeParse(sent);
  const channel = data && (await findChannel(context.database, data.channel_id));
  if (channel === undefined || header(SIGNATURE) === undefined) await context.requestLimits.countStranger(ip);
}

const isForm = ({ header }: Delivery) =>
  header('content-type')?.startsWith('application/x-www-form-urlencoded') === true;

interface Interaction {
  readonly channel: ReceivingChannel;
  readonly delivery: Delivery;
  readonly ip: string;
}

// Somebody has used a button of a message.
async function takeInteraction(
  context: ApiContext,
  { channel, delivery, ip }: Interaction,
): Promise<'accepted' | 'ignored'> {
  const payload = new URLSearchParams(delivery.body.toString()).get('payload') ?? '';
  const button = readSlackInteraction(parsed(payload));
  if (button === undefined || !channel.isActive) return 'ignored';
  return (await decideByButton(context, { channel, button, ip })) ? 'accepted' : 'ignored';
}

function payloadOf({ body, header }: Delivery): unknown {
  if (header('content-type')?.startsWith('application/json') !== true)
    throw new AppError('unsupported_media_type', 'Events are taken as application/json, interactions as a form');
  return parsed(body.toString());
}

function parsed(text: string): unknown {
  const json = parseForeignJson(text, { maxDepth: 60 });
  if ('value' in json) return json.value;
  throw new InvalidRequest([{ type: 'json_invalid', loc: ['body'], msg: 'the body is not JSON that can be read' }]);
}
