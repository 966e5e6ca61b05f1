import { randomBytes } from 'node:crypto';
import { channelSecrets, findChannel, noteChannelError, type ReceivingChannel } from '../../db/channels/channels.ts';
import { UnreadableSecret } from '../../db/core/secret-box.ts';
import type { ChannelKind } from '../../domain/channels.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineDeliveryRoute, type StrangerRequest } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { mailReceiver } from './receive-mail.ts';
import { slackReceiver } from './receive-slack.ts';
import type { Receiver } from './receiver.ts';
import { eventSchema, receiptSchema } from './schema.ts';

const RECEIVERS: Readonly<Record<ChannelKind, Receiver>> = { email: mailReceiver, slack: slackReceiver };

const params = idParams('channel_id');

/** Below what one address may have in progress: a mail is in memory as a whole until it is stored. */
const MAX_MAIL_BYTES = 10 * 1024 ** 2;

/**
 * Stores what somebody has written to an agent, before the service that delivers it is answered, and takes what they
 * decide by a button. Nothing of it is logged.
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
  summary: 'For Slack and mail services: deliver an event, an interaction or a mail',
  description:
    'The `events_url` of a channel. An unknown channel and a wrong signature are answered alike, and an event or a mail counts once.\n\n`slack`: signed with `X-Slack-Signature` and `X-Slack-Request-Timestamp`, which is at most five minutes old. An interaction comes as a form with its JSON in `payload`: who was asked for an approval in Slack decides by a button of that message.\n\n`email`: the mail as it was received, as `message/rfc822`, signed with `X-Everturn-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`, which is at most five minutes old. At most 10 MB.',
  params,
  delivery: eventSchema,
  deliveredFile: { mediaType: 'message/rfc822', description: 'A mail with all its headers', maxBytes: MAX_MAIL_BYTES },
  response: { status: 200, schema: receiptSchema },
  letIn,
  handler: async ({ params: { channel_id: channelId }, delivery, ip }, context) => {
    const { database, requestLimits } = context;
    const channel = await findChannel(database, channelId);
    const receiver = RECEIVERS[channel?.kind ?? 'slack'];
    // Somebody without the secret learns nothing, not even by the time that it takes.
    const secret = channel === undefined ? randomBytes(32).toString('hex') : await secretOf(context, channel);
    if (!receiver.isSigned(delivery, secret) || channel === undefined) {
      // All others were counted before.
      if (channel !== undefined && delivery.header(receiver.signature) !== undefined)
        await requestLimits.countStranger(ip);
      throw new AppError('not_found', 'There is no such channel, or the signature does not match its secret');
    }
    await requestLimits.countWebhook({ id: channelId, orgId: channel.orgId });
    return receiver.receive(context, { channel, delivery, ip });
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

// Services send for all organizations from the same addresses, so each channel has a limit of its own. Those who
// guess are counted by address.
async function letIn({ params: sent, ip, header }: StrangerRequest, context: ApiContext): Promise<void> {
  const { data } = params.safeParse(sent);
  const channel = data && (await findChannel(context.database, data.channel_id));
  if (channel === undefined || header(RECEIVERS[channel.kind].signature) === undefined)
    await context.requestLimits.countStranger(ip);
}
