import { createHash, createHmac } from 'node:crypto';
import PostalMime, { type Address } from 'postal-mime';
import { hasSentMany, takeChannelEvent } from '../../db/channels/events.ts';
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
} from '../../domain/inbound-mail.ts';
import { isSame } from '../access/bearer.ts';
import { headerIssue, signatureOf } from '../access/webhook-signature.ts';
import type { Delivery } from '../http/define-route.ts';
import type { Receiver } from './receiver.ts';

const SIGNATURE = 'x-everturn-signature';

/** Takes mails. Only their heads are read here. */
export const mailReceiver: Receiver = {
  signature: SIGNATURE,
  isSigned: ({ header, body }, secret) => {
    const signatures = { own: header(SIGNATURE), hub: undefined };
    return signatureOf(secret, signatures, body) !== undefined && headerIssue(signatures) === undefined;
  },
  receive: async ({ database, orgLimits }, { channel, secret, delivery }) => {
    const { orgId, id: channelId, mail: mailbox } = channel;
    requireMail(delivery);
    if (!channel.isActive || mailbox === null) return { status: 'ignored' };
    const mail = await readHead(delivery.body);
    const reason = mail === undefined ? 'faulty' : mailIssue(mail, mailbox);
    if (mail?.sender === undefined || reason !== undefined) return { status: 'ignored', reason };
    const { sender, messageId, subject } = mail;
    if (await hasSentMany(database, { orgId, channelId }, sender)) return { status: 'ignored', reason: 'automatic' };
    const id = digestOf(messageId === null ? delivery.body : `${sender}\n${messageId}`);
    const known = threadIn(mail, mailbox, secret);
    const thread = known ?? id.slice(0, THREAD_LENGTH);
    const replyTo = taggedAddress(mailbox.address, sealThread(thread, secret));
    const isNew = await takeChannelEvent(
      database,
      { orgId, channelId },
      {
        id,
        message: { channel: sender, thread, sender, team: null, text: known === undefined ? subject : '' },
        mail: { answered: { subject, messageId, replyTo }, bytes: delivery.body },
        maxBytes: orgLimits.channelBytes,
      },
    );
    return { status: isNew ? 'accepted' : 'repeated' };
  },
};

function requireMail({ header }: Delivery): void {
  if (header('content-type')?.startsWith('message/rfc822') !== true)
    throw new AppError('unsupported_media_type', 'A mail is taken as it is, as message/rfc822');
}

/** The longest head of a mail, in bytes. */
const MAX_HEAD = 128 * 1_024;

interface ReadHead extends MailHead {
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
    headers,
    sender: senderOf(headers),
    recipients: addressesOf([...(to ?? []), ...(cc ?? [])]),
    subject: subjectOf(subject),
    messageId: referenceTo(messageId),
  };
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

/** Makes the tag of the address that answers of a thread are replied to: nobody else can make one. */
function sealThread(thread: string, secret: string): string {
  return thread + createHmac('sha256', secret).update(`thread ${thread}`).digest('hex').slice(0, THREAD_LENGTH);
}

/** Returns the thread that a mail replies in; undefined for one that begins another. */
function threadIn({ recipients }: MailHead, { address }: ChannelMailbox, secret: string): string | undefined {
  return tagsOf(address, recipients)
    .filter((tag) => isSame(tag, sealThread(tag.slice(0, THREAD_LENGTH), secret)))
    .map((tag) => tag.slice(0, THREAD_LENGTH))
    .at(0);
}
