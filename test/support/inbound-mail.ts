import { createHmac } from 'node:crypto';
import { ApiClient } from './api-client.ts';

/** The mailbox of the tests, and what its mail service calls itself. */
export const MAILBOX = { address: 'agents@example.com', auth_service: 'mx.example.com' };

/** A mail as a mail service receives it. */
export interface InboundMail {
  readonly from: string;
  readonly to?: string;
  readonly subject?: string;
  readonly text?: string;
  /** The type of the text; plain unless given. */
  readonly type?: string;
  readonly messageId?: string;
  /** What the mail service states of it: that its domain has sent it unless given. */
  readonly results?: string;
  /** Further lines of its head. */
  readonly headers?: readonly string[];
}

let mails = 0;

/** Writes a mail, with another `Message-ID` each time unless given. */
export function mailOf(mail: InboundMail): string {
  mails += 1;
  const { from, to = MAILBOX.address, subject = 'A question', text = 'How are sales?', headers = [] } = mail;
  const { type = 'text/plain; charset=utf-8' } = mail;
  const domain = from.slice(from.lastIndexOf('@') + 1).replace('>', '');
  const results = mail.results ?? `${MAILBOX.auth_service}; dmarc=pass header.from=${domain}`;
  return [
    `Authentication-Results: ${results}`,
    ...headers,
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: ${mail.messageId ?? `<mail-${mails}@client.example.com>`}`,
    `Content-Type: ${type}`,
    '',
    text,
    '',
  ].join('\r\n');
}

interface Signature {
  readonly secret: string;
  /** In seconds; now unless given. */
  readonly time?: number;
  readonly type?: string;
}

/** Delivers a mail to the address of a channel, as a mail service does. */
export async function deliverMail(
  apiUrl: string,
  channelId: string,
  mail: string,
  { secret, time = Math.floor(Date.now() / 1_000), type = 'message/rfc822' }: Signature,
) {
  const digest = createHmac('sha256', secret).update(`${time}.${mail}`).digest('hex');
  const headers = { 'content-type': type, 'x-everturn-signature': `t=${time},v1=${digest}` };
  const { status, json } = await new ApiClient(apiUrl).send<Record<string, unknown>>(
    'POST',
    `/api/channels/${channelId}/events`,
    mail,
    headers,
  );
  return { status, json };
}
