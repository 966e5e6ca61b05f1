import { escapeHtml } from '../../../domain/core/text.ts';
import { connectionsOf } from '../../tools/operations/connections/open-connections.ts';
import { LINK_TEXT, type Sender } from './sender.ts';

/**
 * Sends a report as a mail with HTML and a text part. Images are removed: a URL that a model wrote
 * could leak data to its server when the mail is opened.
 */
export const sendMailReport: Sender = async (service, { subject, body, link, files, key }, context) => {
  const { to = [], cc = [] } = context.config;
  const html = withoutImages(await context.convert(body, 'html'));
  const text = await context.convert(body, 'text');
  const { rejected } = await connectionsOf(context).sendMail(service, {
    to,
    cc,
    bcc: [],
    replyTo: undefined,
    subject,
    text: link === null ? text : `${text}\n\n${LINK_TEXT}: ${link}`,
    html: pageOf(html, link),
    inReplyTo: undefined,
    attachments: files.map(({ name, content }) => ({ name, content: Buffer.from(content) })),
    isAutomatic: true,
    key,
  });
  return rejected.length === 0 ? null : `The server accepts no mail for ${rejected.join(', ')}`;
};

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
