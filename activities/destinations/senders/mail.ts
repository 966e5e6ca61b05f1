import { escapeHtml } from '../../../domain/core/text.ts';
import { type AnsweredMail, replySubject } from '../../../domain/inbound-mail.ts';
import type { Service } from '../../tools/context.ts';
import { connectionsOf } from '../../tools/operations/connections/open-connections.ts';
import { TELEGRAM_HTML } from '../dialects.ts';
import { replaceImages } from '../pictures.ts';
import type { Report, ReportFile } from '../report.ts';
import {
  type AnswerContext,
  fileLines,
  LINK_TEXT,
  type SendContext,
  type Sender,
  type ThreadAnswer,
} from './sender.ts';

/** Sends a report as a mail. */
export const sendMailReport: Sender = async (service, report, context) => {
  const { to = [], cc = [] } = context.config;
  const { subject, files, pictures, key } = report;
  const shown = pictures.map((picture, at) => ({ ...picture, cid: `${at}.${key}@everturn` }));
  const cids = new Map(shown.flatMap(({ addresses, cid }) => addresses.map((address) => [address, cid] as const)));
  const attachments = [
    ...shown.map(({ name, content, cid }) => ({ name, content: Buffer.from(content), cid })),
    ...files.map(attachmentOf),
  ];
  const mail = { to, cc, subject, attachments, key, ...(await partsOf(report, cids, context)) };
  const { rejected } = await connectionsOf(context).sendMail(service, { ...UNANSWERED, ...mail });
  return rejected.length === 0 ? null : `The server accepts no mail for ${rejected.join(', ')}`;
};

/** Mails an answer to the sender of the mail that it answers. */
export async function answerByMail(service: Service, answer: ThreadAnswer, context: AnswerContext): Promise<null> {
  const { channel, mail, files, key } = answer;
  if (mail === null) return null;
  const parts = await partsOf(answer, new Map(), context);
  const attachments = files.map(attachmentOf);
  await connectionsOf(context).sendMail(service, { ...replyTo(channel, mail), ...parts, attachments, key });
  return null;
}

function attachmentOf({ name, content }: ReportFile) {
  return { name, content: Buffer.from(content) };
}

/** Returns the head of a mail that answers another one, and nobody but its sender. */
export function replyTo(sender: string, { subject, messageId, replyTo: address }: AnsweredMail) {
  const inReplyTo = messageId ?? undefined;
  return { ...UNANSWERED, to: [sender], replyTo: address, subject: replySubject(subject), inReplyTo };
}

/** Returns what the account of an SMTP service is known by at its server: the sender of its mails. */
export function accountOfSmtp({ settings }: Pick<Service, 'settings'>): string {
  return settings['from'] ?? '';
}

const UNANSWERED = {
  cc: [],
  bcc: [],
  replyTo: undefined,
  inReplyTo: undefined,
  attachments: [],
  isAutomatic: true,
} as const;

/**
 * Returns the HTML and the text of a mail. It shows the pictures that are in the mail, by their Content-IDs; others are
 * removed: a URL that a model wrote could leak data to its server when the mail is opened.
 */
async function partsOf(
  { body, link, unattached }: Pick<Report, 'body' | 'link' | 'unattached'>,
  cids: ReadonlyMap<string, string>,
  { convert }: Pick<SendContext, 'convert'>,
) {
  const addresses = new Map([...cids].map(([address, cid]) => [address, `cid:${cid}`]));
  const html = replaceImages(await convert(body, 'html'), addresses);
  const text = await convert(body, 'text');
  const footer = [...fileLines(unattached, PLAIN), ...(link === null ? [] : [`${LINK_TEXT}: ${link}`])].join('\n');
  const files = fileLines(unattached, TELEGRAM_HTML).join('<br>');
  return {
    text: footer === '' ? text : `${text}\n\n${footer}`,
    html: pageOf(files === '' ? html : `${html}<p>${files}</p>`, link),
  };
}

const PLAIN = {
  escape: (text: string) => text,
  link: (marked: string, address: string) => `${marked}: ${address}`,
};

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;color:#1a1a1a;max-width:44rem;margin:1rem auto;padding:0 1rem}
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.25rem .5rem;text-align:left}
pre{background:#f4f4f4;padding:.75rem;overflow:auto}footer{margin-top:2rem;color:#666}`;

function pageOf(body: string, link: string | null): string {
  const footer = link === null ? '' : `<footer><a href="${escapeHtml(link)}">${LINK_TEXT}</a></footer>`;
  return `<!doctype html><html><head><meta charset="utf-8"><style>${STYLE}</style></head><body>${body}${footer}</body></html>`;
}
