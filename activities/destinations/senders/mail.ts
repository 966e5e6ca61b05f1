import { escapeHtml } from '../../../domain/core/text.ts';
import { type AnsweredMail, replySubject } from '../../../domain/inbound-mail.ts';
import type { Service } from '../../tools/context.ts';
import { connectionsOf } from '../../tools/operations/connections/open-connections.ts';
import { type AnswerContext, LINK_TEXT, type SendContext, type Sender, type ThreadAnswer } from './sender.ts';

/** Sends a report as a mail. */
export const sendMailReport: Sender = async (service, { subject, body, link, files, key }, context) => {
  const { to = [], cc = [] } = context.config;
  const attachments = files.map(({ name, content }) => ({ name, content: Buffer.from(content) }));
  const mail = { to, cc, subject, attachments, key, ...(await partsOf(body, link, context)) };
  const { rejected } = await connectionsOf(context).sendMail(service, { ...UNANSWERED, ...mail });
  return rejected.length === 0 ? null : `The server accepts no mail for ${rejected.join(', ')}`;
};

/** Mails an answer to the sender of the mail that it answers. */
export async function answerByMail(service: Service, answer: ThreadAnswer, context: AnswerContext): Promise<void> {
  const { channel, mail, body, link, key } = answer;
  if (mail === null) return;
  const parts = await partsOf(body, link, context);
  await connectionsOf(context).sendMail(service, { ...replyTo(channel, mail), ...parts, key });
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
 * Returns the HTML and the text of a mail. Images are removed: a URL that a model wrote could leak data to its server
 * when the mail is opened.
 */
async function partsOf(body: string, link: string | null, { convert }: Pick<SendContext, 'convert'>) {
  const html = withoutImages(await convert(body, 'html'));
  const text = await convert(body, 'text');
  return { text: link === null ? text : `${text}\n\n${LINK_TEXT}: ${link}`, html: pageOf(html, link) };
}

/** Removes the images of sanitized HTML, in which each `<` begins a tag that ends. */
function withoutImages(html: string): string {
  const [first = '', ...rest] = html.split('<img');
  return [first, ...rest.map((part) => part.slice(part.indexOf('>') + 1))].join('');
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;color:#1a1a1a;max-width:44rem;margin:1rem auto;padding:0 1rem}
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.25rem .5rem;text-align:left}
pre{background:#f4f4f4;padding:.75rem;overflow:auto}footer{margin-top:2rem;color:#666}`;

function pageOf(body: string, link: string | null): string {
  const footer = link === null ? '' : `<footer><a href="${escapeHtml(link)}">${LINK_TEXT}</a></footer>`;
  return `<!doctype html><html><head><meta charset="utf-8"><style>${STYLE}</style></head><body>${body}${footer}</body></html>`;
}
