import { z } from 'zod';
import { accountOf, asMessage, type ChannelMessage } from '../../domain/channels.ts';
import { withoutQuote } from '../../domain/inbound-mail.ts';
import { accountOfSmtp, replyTo } from '../destinations/senders/mail.ts';
import { compute } from '../tools/compute/compute.ts';
import { connectionsOf } from '../tools/operations/connections/open-connections.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import type { Conversation, Incoming } from './conversation.ts';
import { findSender } from './find-sender.ts';
import type { ChannelDeps } from './receive-messages.ts';

const readSchema = z.object({ text: z.string(), attachments: z.array(z.object({ name: z.string() })) });

/** Returns the conversation of a mail, whose sender was authenticated when it was received. */
export function inMail(deps: ChannelDeps, { channel, event, service, signal }: Incoming): Conversation {
  const { message, mail, received } = event;
  const post = async (text: string): Promise<void> => {
    if (mail === null) return;
    const notice = { ...replyTo(message.channel, mail), text, html: undefined, key: `notice ${event.id}` };
    await connectionsOf({ ...deps, signal }).sendMail(service, notice);
  };
  return {
    account: accountOf(service.apiUrl, accountOfSmtp(service)),
    readText: async () => {
      const by = { payer: await deps.database.payers.of(channel.orgId), signal };
      const document = async () => received ?? Buffer.alloc(0);
      try {
        return textOf(message, await compute({ kind: 'mail_read' }, by, { document }));
      } catch (error) {
        if (error instanceof ToolFailure && error.kind === 'invalid_input') return '';
        throw error;
      }
    },
    findSender: async () => findSender(deps, channel, message.sender, async () => message.sender),
    beginReply: async () => null,
    post,
    show: post,
  };
}

function textOf({ text: subject }: ChannelMessage, json: string): string {
  const { text, attachments } = readSchema.parse(JSON.parse(json));
  const names = attachments.map(({ name }) => name).join(', ');
  const unread = names === '' ? '' : `(Files of the mail, which were not kept: ${names})`;
  return asMessage([subject, withoutQuote(text), unread].filter((part) => part !== '').join('\n\n'));
}
