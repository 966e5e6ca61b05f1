import { createHmac } from 'node:crypto';
import { takeChannelEvent } from '../../db/channels/events.ts';
import { asksToStop, readSlackEvent } from '../../domain/channels.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import { readSlackInteraction } from '../../domain/decision-buttons.ts';
import { isSame } from '../access/bearer.ts';
import type { ApiContext } from '../context/api-context.ts';
import type { Delivery } from '../http/define-route.ts';
import { invalidJson } from '../http/problem.ts';
import { decideByButton } from './decide-by-button.ts';
import type { Received, Receiver } from './receiver.ts';

/** How old a request may be, as Slack recommends. */
const MAX_AGE_SECONDS = 300;

/** Receives events and interactions of Slack. */
export const slackReceiver: Receiver = {
  signature: 'x-slack-signature',
  isSigned: isSignedBySlack,
  receive: async (context, { channel, delivery, ip }) => {
    if (isForm(delivery)) return { status: await takeInteraction(context, { channel, delivery, ip }) };
    const event = readSlackEvent(payloadOf(delivery));
    if (event?.kind === 'challenge') return { status: 'accepted', challenge: event.challenge };
    if (event === undefined || !channel.isActive) return { status: 'ignored' };
    const { orgId, id: channelId } = channel;
    const taken = { ...event, isStop: asksToStop(event.message.text), maxBytes: context.orgLimits.channelBytes };
    const isNew = await takeChannelEvent(context.database, { orgId, channelId }, taken);
    return { status: isNew ? 'accepted' : 'repeated' };
  },
};

/** Returns whether Slack has signed a request with the secret, lately. Takes as long for a wrong signature. */
function isSignedBySlack({ header, body }: Delivery, secret: string): boolean {
  const time = header('x-slack-request-timestamp') ?? '';
  const expected = createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest('hex');
  const isRecent = /^\d{1,12}$/.test(time) && Math.abs(Date.now() / 1_000 - Number(time)) <= MAX_AGE_SECONDS;
  return isSame(header('x-slack-signature') ?? '', `v0=${expected}`) && isRecent;
}

const isForm = ({ header }: Delivery) =>
  header('content-type')?.startsWith('application/x-www-form-urlencoded') === true;

// Somebody has used a button of a message.
async function takeInteraction(
  context: ApiContext,
  { channel, delivery, ip }: Received,
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
  throw invalidJson();
}
