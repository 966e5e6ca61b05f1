import { createHash } from 'node:crypto';
import PostalMime, { type Address } from 'postal-mime';
import { hasSentMany, takeChannelEvent } from '../../db/channels/events.ts';
import type { ReceivingChannel } from '../../db/channels/channels.ts';
import { findSender } from '../../db/channels/find-sender.ts';
import type { Database } from '../../db/core/database.ts';
import type { SecretBox } from '../../db/core/secret-box.ts';
import { asksToStop } from '../../domain/channels.ts';
import { AppError } from '../../domain/core/app-error.ts';
import {
  type ChannelMailbox,
  type MailHead,
  mailIssue,
  referenceTo,
  senderOf,
  subjectOf,
  taggedAddress,
  tagsOf,
  withoutQuote,
} from '../../domain/inbound-mail.ts';
import { isSame } from '../access/bearer.ts';
import { headerIssue, signatureOf } from '../access/webhook-signature.ts';
import type { Delivery } from '../http/define-route.ts';
import type { Receiver } from './receiver.ts';

const SIGNATURE = 'x-everturn-signature';

/** Receives mails. Parses only their heads, and the first bytes of what members say in a thread. */
export const mailReceiver: Receiver = {
  signature: SIGNATURE,
  isSigned: ({ header, body }, secret) => {
    const signatures = { own: header(SIGNATURE), hub: undefined };
    return signatureOf(secret, signatures, body) !== undefined && headerIssue(signatures) === undefined;
  },
  receive: async ({ database, box, orgLimits }, { channel, delivery }) => {
    const { orgId, id: channelId, mail: mailbox } = channel;
    requireMail(delivery);
    if (!channel.isActive || mailbox === null) return { status: 'ignored' };
    const mail = await readHead(delivery.body);
    const reason = mail === undefined ? 'faulty' : mailIssue(mail, mailbox);
    if (mail?.sender === undefined || reason !== undefined) return { status: 'ignored', reason };
    const { sender, messageId, subject } = mail;
    if (await hasSentMany(database, { orgId, channelId }, sender)) return { status: 'ignored', reason: 'automatic' };
    const id = digestOf(messageId === null ? delivery.body : `${sender}\n${messageId}`);
    const tagsFor = (thread: string) => tagsOfThread(box, channelId, thread);
    const known = threadIn(mail, mailbox, tagsFor);
    const thread = known ?? id.slice(0, THREAD_LENGTH);
    const replyTo = answerAddress(mailbox, tagsFor(thread));
    const bytes = await keptOf(database, channel, sender, delivery);
    const isNew = await takeChannelEvent(
      database,
      { orgId, channelId },
      {
        id,
        message: { channel: sender, thread, sender, team: null, text: known === undefined ? subject : '' },
        mail: { answered: { subject, messageId, replyTo }, bytes },
        isStop: await saysStop(known, bytes.subarray(0, mail.bytes + MAX_READ)),
        maxBytes: orgLimits.channelBytes,
      },
    );
    return { status: isNew ? 'accepted' : 'repeated' };
  },
};

// A stranger gets the same notice, whatever they have written.
async function keptOf(
  database: Database,
  channel: ReceivingChannel,
  sender: string,
  { body }: Delivery,
): Promise<Buffer> {
  const member = await findSender({ database }, channel, sender, async () => sender);
  return member === undefined ? Buffer.alloc(0) : body;
}

function requireMail({ header }: Delivery): void {
  if (header('content-type')?.startsWith('message/rfc822') !== true)
    throw new AppError('unsupported_media_type', 'A mail is taken as it is, as message/rfc822');
}

/** The longest head of a mail, in bytes. */
const MAX_HEAD = 64 * 1_024;

interface ReadHead extends MailHead {
  /** Its length, in bytes. */
  readonly bytes: number;
  readonly subject: string;
  readonly messageId: string | null;
}

/** Reads the head of a mail and nothing else of it; undefined for one that is too long, or that is ambiguous. */
async function readHead(mail: Buffer): Promise<ReadHead | undefined> {
  const ends = ['\r\n\r\n', '\n\n'].map((end) => mail.indexOf(end)).filter((end) => end !== -1);
  const end = Math.min(mail.length, ...ends);
  const head = mail.subarray(0, end);
  if (end > MAX_HEAD || hasMixedLines(head)) return undefined;
  const { headers, to, cc, subject, messageId } = await PostalMime.parse(head, { maxHeadersSize: 2 * MAX_HEAD });
  return {
    bytes: end,
    headers,
    sender: senderOf(headers),
    recipients: addressesOf([...(to ?? []), ...(cc ?? [])]),
    subject: subjectOf(subject),
    messageId: referenceTo(messageId),
  };
}

/**
 * How much of a mail behind its head is read to see whether it says that the answer is to stop, in bytes: the library
 * takes time that can grow with the square of it, in which nothing else is served.
 */
const MAX_READ = 2 * 1_024;

// Decides only about the order: whether it asks to stop is checked again when it is handled.
async function saysStop(thread: string | undefined, beginning: Buffer): Promise<boolean> {
  if (thread === undefined) return false;
  const limits = { maxNestingDepth: 10, maxHeadersSize: 2 * MAX_HEAD };
  const read = await PostalMime.parse(beginning, limits).catch(() => undefined);
  return asksToStop(withoutQuote(read?.text ?? ''));
}

// Where one server reads a header, the next one might read another.
function hasMixedLines(head: Buffer): boolean {
  const ends = head.toString('latin1').match(/\r\n|\r|\n/g) ?? [];
  return ends.some((end) => end === '\r' || end !== ends[0]);
}

function addressesOf(addresses: readonly Address[]): readonly string[] {
  return addresses
    .flatMap((each) => (each.group === undefined ? [each] : each.group))
    .map(({ address }) => address.toLowerCase());
}

/** The characters of the name of a thread, and of the code that follows it in the address of an answer. */
const THREAD_LENGTH = 16;

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Returns the tags by which an address names a thread, one by each key of the server: the first one is that of answers.
 * They cannot be forged, and the secret of the channel cannot be guessed by them: strangers get them, too.
 */
function tagsOfThread(box: SecretBox, channelId: string, thread: string): readonly string[] {
  return box.digestsOf(`thread ${channelId} ${thread}`).map((digest) => thread + digest.slice(0, THREAD_LENGTH));
}

// The first key of the server makes those that are sent.
function answerAddress({ address }: ChannelMailbox, [tag = '']: readonly string[]): string {
  return taggedAddress(address, tag);
}

/** Returns the thread that a mail replies in; undefined for one that begins another. */
function threadIn(
  { recipients }: MailHead,
  { address }: ChannelMailbox,
  tagsFor: (thread: string) => readonly string[],
): string | undefined {
  return tagsOf(address, recipients)
    .map((tag) => ({ tag, thread: tag.slice(0, THREAD_LENGTH) }))
    .find(({ tag, thread }) => tagsFor(thread).some((made) => isSame(tag, made)))?.thread;
}
