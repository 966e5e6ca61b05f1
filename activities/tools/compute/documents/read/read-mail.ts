import PostalMime, { type Address, type Attachment } from 'postal-mime';
import { plainText } from '../../../../core/documents/plain-text.ts';
import type { MailReadJob } from '../document-job.ts';

const MAX_ATTACHMENTS = 100;
const LIMITS = { maxNestingDepth: 50, maxHeadersSize: 500_000, maxRfc822NestingDepth: 3 };

/** Reads a mail: what it says, and what is attached; or the contents of some attachments, each in base64. */
export async function readMail({ attachments }: MailReadJob, bytes: Buffer): Promise<unknown> {
  const mail = await PostalMime.parse(bytes, { ...LIMITS, attachmentEncoding: 'arraybuffer' });
  if (attachments !== undefined) return attachments.map((index) => contentOf(mail.attachments[index]));
  return {
    date: mail.date,
    from: named(mail.from === undefined ? [] : [mail.from]),
    to: named(mail.to),
    cc: named(mail.cc),
    reply_to: named(mail.replyTo),
    subject: mail.subject,
    message_id: mail.messageId,
    in_reply_to: mail.inReplyTo,
    text: textOf(mail),
    attachments: mail.attachments.slice(0, MAX_ATTACHMENTS).map((each, index) => ({
      name: each.filename ?? `attachment-${index + 1}`,
      type: each.mimeType,
      bytes: bytesOf(each).length,
    })),
    attachment_count: mail.attachments.length,
  };
}

function contentOf(attachment: Attachment | undefined): string {
  if (attachment === undefined) throw new Error('The mail has no such attachment');
  return bytesOf(attachment).toString('base64');
}

function bytesOf({ content }: Attachment): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return Buffer.from(content instanceof ArrayBuffer ? new Uint8Array(content) : content);
}

// Many mails have their text twice, and some of those say nothing in the plain one.
function textOf({ text = '', html }: { readonly text?: string | undefined; readonly html?: string | undefined }) {
  return text.trim() === '' && html !== undefined ? plainText(html) : text.trim();
}

function named(addresses: readonly Address[] = []): string | undefined {
  const names = addresses.flatMap((each) => (each.group === undefined ? [each] : each.group));
  if (names.length === 0) return undefined;
  return names.map(({ name, address }) => (name === '' ? address : `${name} <${address}>`)).join(', ');
}
