import { createHash } from 'node:crypto';

/** A mail to be sent. */
interface Mail {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** The `Message-ID` of the mail that it answers, and the ids of those before it. */
  readonly inReplyTo?: string | undefined;
  readonly references?: string | undefined;
}

/**
 * Returns a mail as it goes over the wire, in the base64 of URLs. The same key gives it the same `Message-ID`. The
 * sender is the account: Gmail adds it.
 */
export async function composeMail({ text, ...mail }: Mail, key: string): Promise<string> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const id = createHash('sha256').update(key).digest('hex').slice(0, 32);
  const composer = new MailComposer({
    to: [...mail.to],
    cc: [...mail.cc],
    subject: mail.subject,
    inReplyTo: mail.inReplyTo,
    references: mail.references,
    messageId: `<${id}@everturn>`,
    text,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return (await composer.compile().build()).toString('base64url');
}
