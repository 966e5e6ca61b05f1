import { z } from 'zod';
import { readReceivedMail } from '../../db/channels/events.ts';
import { findSender } from '../../db/channels/find-sender.ts';
import { accountOf, asMessage, type ChannelMessage, MAX_FILE_NAME } from '../../domain/channels.ts';
import { cut, formatBytes, toStorableText } from '../../domain/core/text.ts';
import { withoutQuote } from '../../domain/inbound-mail.ts';
import { accountOfSmtp, replyTo } from '../destinations/senders/mail.ts';
import { compute } from '../tools/compute/compute.ts';
import { connectionsOf } from '../tools/operations/connections/open-connections.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import type { Conversation, Incoming, SentMessage } from './conversation.ts';
import type { ChannelDeps } from './receive-messages.ts';

const readSchema = z.object({
  text: z.string(),
  attachments: z.array(z.object({ name: z.string(), bytes: z.int() })),
  attachment_count: z.int(),
});

/** Returns the conversation of a mail, whose sender was authenticated when it was received. */
export function inMail(deps: ChannelDeps, { channel, event, service, signal }: Incoming): Conversation {
  const { message, mail } = event;
  const post = async (text: string): Promise<void> => {
    if (mail === null) return;
    const notice = { ...replyTo(message.channel, mail), text, html: undefined, key: `notice ${event.id}` };
    await connectionsOf({ ...deps, signal }).sendMail(service, notice);
  };
  return {
    account: accountOf(service.apiUrl, accountOfSmtp(service)),
    read: async () => {
      const by = { payer: await deps.database.payers.of(channel.orgId), signal };
      const document = async () => readReceivedMail(deps.database, channel.orgId, event.id);
      const readParts: ReadParts = async (attachments) => compute({ kind: 'mail_read', attachments }, by, { document });
      try {
        return sentMail(message, await readParts(), readParts);
      } catch (error) {
        if (error instanceof ToolFailure && error.kind === 'invalid_input') return UNREADABLE;
        throw error;
      }
    },
    findSender: async () => findSender(deps, channel, message.sender, async () => message.sender),
    beginReply: async () => null,
    post,
    show: post,
  };
}

const UNREADABLE = { text: '', files: [], unlisted: 0 };

function sentMail({ text: subject }: ChannelMessage, json: string, readParts: ReadParts): SentMessage {
  const { text, attachments, attachment_count: count } = readSchema.parse(JSON.parse(json));
  const readFile = attachmentReader(attachments, readParts);
  const files = attachments.map(({ name, bytes }, index) => {
    const read = async () => {
      if (bytes > MAX_READ) throw new ToolFailure('invalid_input', `it is larger than ${formatBytes(MAX_READ)}`);
      return readFile(index);
    };
    return { name: cut(toStorableText(name), MAX_FILE_NAME), bytes, read };
  });
  const said = asMessage([subject, withoutQuote(text)].filter((part) => part !== '').join('\n\n'));
  return { text: said, files, unlisted: count - attachments.length };
}

/** Returns the JSON of what a mail says, or of the contents of some attachments. */
type ReadParts = (attachments?: readonly number[]) => Promise<string>;

/** The most attachments, and their bytes, that are read at once: the mail is parsed again each time. */
const READ_TOGETHER = 20;
const MAX_READ = 5 * 1024 ** 2;

/** Makes a function that reads one attachment; several are read ahead, since they are asked for in order. */
function attachmentReader(attachments: readonly { readonly bytes: number }[], readParts: ReadParts) {
  let kept = new Map<number, string>();
  return async (index: number): Promise<Buffer> => {
    if (!kept.has(index)) {
      const indexes = together(attachments, index);
      const contents = z.array(z.string()).parse(JSON.parse(await readParts(indexes)));
      kept = new Map(indexes.map((at, position) => [at, contents[position] ?? '']));
    }
    return Buffer.from(kept.get(index) ?? '', 'base64');
  };
}

function together(attachments: readonly { readonly bytes: number }[], first: number): readonly number[] {
  const indexes: number[] = [];
  let sum = 0;
  for (const [offset, { bytes }] of attachments.slice(first, first + READ_TOGETHER).entries()) {
    sum += bytes;
    if (offset > 0 && sum > MAX_READ) break;
    indexes.push(first + offset);
  }
  return indexes;
}
