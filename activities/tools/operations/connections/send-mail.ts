import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { types } from 'node:util';
import type { SendMailOptions, Transporter } from 'nodemailer';
import { parseMailAddress } from '../../../../domain/network/mail-address.ts';
import { networkErrorOf } from '../../../core/network/guarded-http.ts';
import { ToolFailure } from '../../tool-failure.ts';
import {
  type Account,
  connectionFailure,
  type Endpoint,
  endpointOf,
  type Reach,
  RejectedCredentials,
  saidBy,
} from './connections.ts';

const SILENCE_LIMIT_MS = 60_000;
const REJECTED: ReadonlySet<number> = new Set([530, 534, 535]);

/** Sends a mail by an SMTP server. */
export async function sendMail(account: Account, mail: OutgoingMail, reach: Reach): Promise<SentMail> {
  const options = mailOptions(account, mail);
  return overTransport(account, reach, async (transport) => {
    const { messageId, accepted, rejected } = (await transport.sendMail(options)) as {
      messageId: string;
      accepted: readonly unknown[];
      rejected: readonly unknown[];
    };
    return { messageId, accepted: accepted.map(String), rejected: rejected.map(String) };
  });
}

/** Signs in to an SMTP server. */
export async function signInToSmtp(account: Account, reach: Reach): Promise<void> {
  senderOf(account);
  await overTransport(account, reach, async (transport) => transport.verify());
}

async function overTransport<T>(
  account: Account,
  { sockets, signal }: Reach,
  work: (transport: Transporter) => Promise<T>,
): Promise<T> {
  const endpoint = endpointOf(account);
  const { host, port, tls, isEncryptedAtOnce } = endpoint;
  let socket: Socket | undefined;
  let isUncertain = false;
  const end = () => socket?.destroy(signal.reason as Error);
  try {
    socket = await sockets.connect(host, port, { signal, tls: isEncryptedAtOnce ? tls : undefined });
    signal.addEventListener('abort', end, { once: true });
    const transport = await transportOver(socket, endpoint, () => (isUncertain = true));
    return await work(transport);
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, account, { service: endpoint.service, isUncertain });
  } finally {
    signal.removeEventListener('abort', end);
    socket?.destroy();
  }
}

async function transportOver(socket: Socket, endpoint: Endpoint, onWhole: () => void): Promise<Transporter> {
  const { host, port, user, password, tls, isEncryptedAtOnce } = endpoint;
  const { createTransport } = await import('nodemailer');
  return createTransport({
    connection: socket,
    host,
    port,
    secure: isEncryptedAtOnce,
    secured: isEncryptedAtOnce,
    requireTLS: !isEncryptedAtOnce && tls !== undefined,
    ignoreTLS: tls === undefined,
    tls: { ...(tls?.ca !== undefined && { ca: tls.ca }) },
    ...(password !== '' && { auth: { user, pass: password } }),
    logger: sentLogger(onWhole),
    greetingTimeout: SILENCE_LIMIT_MS,
    socketTimeout: SILENCE_LIMIT_MS,
    // Nothing of this machine and no address is put into a mail.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Makes a logger that keeps nothing and reports when the whole mail has gone out: from then on it may be sent. */
function sentLogger(onWhole: () => void) {
  const ignore = () => undefined;
  const info = (entry: unknown) => {
    if (typeof entry === 'object' && entry !== null && 'tnx' in entry && entry.tnx === 'message') onWhole();
  };
  return { level: ignore, trace: ignore, debug: ignore, info, warn: ignore, error: ignore, fatal: ignore };
}

function mailOptions(account: Account, mail: OutgoingMail): SendMailOptions {
  const from = senderOf(account);
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    from,
    to: mail.to.map(checkedAddress),
    cc: mail.cc.map(checkedAddress),
    bcc: mail.bcc.map(checkedAddress),
    ...(mail.replyTo !== undefined && { replyTo: checkedAddress(mail.replyTo) }),
    subject: mail.subject,
    ...(mail.text !== undefined && { text: mail.text }),
    ...(mail.html !== undefined && { html: mail.html }),
    ...(mail.inReplyTo !== undefined && { inReplyTo: mail.inReplyTo, references: mail.inReplyTo }),
    ...(mail.isAutomatic && {
      headers: { 'Auto-Submitted': mail.inReplyTo === undefined ? 'auto-generated' : 'auto-replied' },
    }),
    attachments: mail.attachments.map(({ name, content, cid }) => ({
      filename: name,
      content,
      ...(cid !== undefined && { cid, contentDisposition: 'inline' as const }),
    })),
    messageId: `<${createHash('sha256').update(mail.key).digest('hex').slice(0, 32)}@${domain}>`,
  };
}

function senderOf({ name, settings }: Account) {
  const from = parseMailAddress(settings['from'] ?? '');
  if (from !== undefined) return from;
  throw new ToolFailure('denied', `The setting from of the integration ${name} is no address of a mail`);
}

function checkedAddress(text: string) {
  const address = parseMailAddress(text);
  if (address !== undefined) return address;
  throw new ToolFailure('invalid_input', `This is not one address of a mail: ${text.slice(0, 200)}`);
}

function failureOf(
  error: unknown,
  account: Account,
  outcome: { readonly service: string; readonly isUncertain: boolean },
): ToolFailure {
  const { service } = outcome;
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  // Only the words say what went wrong in the handshake. A server without STARTTLS answers with a code, too.
  if (code === 'ETLS' || (types.isNativeError(error) && error.message.includes('certificate'))) {
    if (networkErrorOf(error as Error) !== undefined) return connectionFailure(error, account, outcome);
    const message = `${service} is not reached: it offers no encryption (the setting tls allows that), or its certificate is invalid (ca)`;
    return new ToolFailure('upstream', message, { cause: error });
  }
  if (typeof responseCode === 'number') {
    if (REJECTED.has(responseCode)) return new RejectedCredentials(service, { cause: error });
    const kind = responseCode >= 500 ? 'invalid_input' : 'upstream';
    return new ToolFailure(kind, `${service} refuses: ${saidBy(account, error)}`, { cause: error, isForeign: true });
  }
  return connectionFailure(error, account, outcome);
}

/** A mail that is to be sent. Addresses are such as `a@example.com` or `Ada <a@example.com>`. */
export interface OutgoingMail {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly replyTo: string | undefined;
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  /** The `Message-ID` of the mail that it answers. */
  readonly inReplyTo: string | undefined;
  readonly attachments: readonly MailAttachment[];
  /** Set for a mail that no person sends: programs that answer mails leave it alone (RFC 3834). */
  readonly isAutomatic?: true;
  /** The same each time that this mail is sent: its `Message-ID` is made of it. */
  readonly key: string;
}

/** A file of a mail. */
interface MailAttachment {
  readonly name: string;
  readonly content: Buffer;
  /** The Content-ID by which the HTML shows it; undefined for a file that is apart. */
  readonly cid?: string | undefined;
}

/** The server's answer to a mail. */
export interface SentMail {
  readonly messageId: string;
  readonly accepted: readonly string[];
  /** Addresses that it takes no mail for. */
  readonly rejected: readonly string[];
}
