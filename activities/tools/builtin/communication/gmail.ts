import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ToolFailure } from '../../tool-failure.ts';
import { cursorParameter, mailAddress } from '../parameters.ts';
import { actionsWith, defineServiceTool, pathOf, type ServiceCall } from '../services/service-tool.ts';
import type { ActionService } from '../services/read-answer.ts';
import { headersOf, parseMessage, readMessage, summaryOf } from './gmail-message.ts';

/** Each message of a page is a request of its own. */
const LISTED = 10;
/** Headers that fit into one line of a mail, whatever is in them. */
const line = z.string().regex(/^[^\r\n\0]*$/, 'must be one line');
const id = z.string().regex(/^[\w-]{1,64}$/);

const parameters = z.strictObject({
  query: z
    .string()
    .max(500)
    .optional()
    .describe("In search: Gmail's syntax, such as `from:ada is:unread newer_than:7d`."),
  id: id.optional().describe('Id of a message.'),
  draft_id: id.optional().describe('In send: a draft to send as it is.'),
  reply_to: id.optional().describe('In draft and send: the message that it answers.'),
  to: z.array(mailAddress).max(50).optional().describe('Mail addresses; who wrote the answered message when left out.'),
  cc: z.array(mailAddress).max(50).optional().describe('Mail addresses.'),
  subject: line.max(500).optional().describe('That of the answered message when left out.'),
  body: z.string().max(200_000).optional().describe('Plain text.'),
  labels: z.array(line.max(225)).max(20).optional().describe('In label: names to add, such as `STARRED`.'),
  remove_labels: z
    .array(line.max(225))
    .max(20)
    .optional()
    .describe('In label: names to take away; `INBOX` archives, `UNREAD` marks as read.'),
  cursor: cursorParameter,
});

const MAX_MESSAGE_BYTES = 40 * 1024 * 1024;
const SENT = 'id threadId labelIds';

const { keyed, once, read } = actionsWith<z.output<typeof parameters>>();
type Written = Partial<Pick<z.output<typeof parameters>, 'to' | 'cc' | 'subject' | 'body' | 'reply_to'>>;
const listSchema = z.object({
  messages: z.array(z.object({ id: z.string() })).default([]),
  nextPageToken: z.string().optional(),
});

const ACTIONS = {
  search: read([], async ({ query, cursor }, { service }) => {
    const parts = { q: query, pageToken: cursor, maxResults: LISTED };
    const { messages, nextPageToken } = await service.read({ path: '/users/me/messages', query: parts }, listSchema);
    const found = await Promise.all(messages.slice(0, LISTED).map(async (each) => headOf(each.id, { service })));
    return { messages: found.map(summaryOf), next: nextPageToken };
  }),
  get: read(['id'], async (args, { service, context }) => {
    const path = pathOf`/users/me/messages/${args.id}`;
    const answer = await service.request({ path, query: { format: 'full' }, maxBytes: MAX_MESSAGE_BYTES });
    return readMessage(parseMessage(answer), context.compute);
  }),
  // Gmail gives each draft and each mail an id of its own: it does not know a key.
  draft: once(['body'], { approval: 'never' }, async (args, call) => {
    const json = { message: await messageOf(args, call) };
    return call.service.pick({ method: 'POST', path: '/users/me/drafts', json }, 'id message');
  }),
  send: once([], async (args, call) => {
    const isDraft = args.draft_id !== undefined;
    const path = `/users/me/${isDraft ? 'drafts' : 'messages'}/send`;
    const json = isDraft ? { id: args.draft_id } : await messageOf(args, call);
    return call.service.pick({ method: 'POST', path, json }, SENT);
  }),
  label: keyed(
    ['id'],
    { approval: 'never' },
    async ({ id: messageId, labels = [], remove_labels: removed = [] }, { service }) => {
      const [addLabelIds, removeLabelIds] = await labelIds(service, [labels, removed]);
      const path = pathOf`/users/me/messages/${messageId}/modify`;
      const json = { addLabelIds, removeLabelIds };
      return service.pick({ method: 'POST', path, json }, SENT);
    },
  ),
  trash: keyed(['id'], async (args, { service }) => {
    const path = pathOf`/users/me/messages/${args.id}/trash`;
    return service.pick({ method: 'POST', path }, SENT);
  }),
};

const labelsSchema = z.object({ labels: z.array(z.object({ id: z.string(), name: z.string() })).default([]) });
const NAMED = 100;

/** Works with the mail of a Google account. */
export const gmail = defineServiceTool({
  key: 'gmail',
  name: 'Gmail',
  description:
    'Searches and reads mail of a Gmail account, writes drafts, sends (a new mail, an answer by `reply_to`, or a draft), labels and trashes.',
  category: 'communication',
  kinds: ['gmail'],
  parameters,
  actions: ACTIONS,
});

async function headOf(messageId: string, { service }: Pick<ServiceCall, 'service'>) {
  const path = pathOf`/users/me/messages/${messageId}`;
  const metadataHeaders = ['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'References'];
  const answer = await service.request({ path, query: { format: 'metadata', metadataHeaders } });
  return parseMessage(answer);
}

/** Returns a message as the API takes it: a new one, or the answer to another one in its thread. */
async function messageOf({ to, cc = [], subject, body, reply_to: repliesTo }: Written, call: ServiceCall) {
  const answered = repliesTo === undefined ? undefined : await headOf(repliesTo, call);
  const head = headersOf(answered?.payload);
  const receivers = to ?? addressIn(head.reply_to ?? head.from);
  if (receivers.length === 0) throw new ToolFailure('invalid_input', 'Give `to`: who the mail is for');
  if (body === undefined) throw new ToolFailure('invalid_input', 'Give `body`: what the mail says');
  const mail = {
    to: receivers,
    cc,
    subject: oneLine(subject ?? answerTo(head.subject)),
    text: body,
    inReplyTo: head.message_id,
    references: [head.references, head.message_id].filter(Boolean).join(' ') || undefined,
  };
  const raw = await composeMail(mail, call.context.idempotencyKey);
  return answered?.threadId === undefined ? { raw } : { raw, threadId: answered.threadId };
}

function answerTo(subject = ''): string {
  return /^re:/i.test(subject) || subject === '' ? subject : `Re: ${subject}`;
}

// Text of a stranger in a header becomes one line too.
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]+/g, ' ');
}

function addressIn(header = ''): string[] {
  const text = header.trim();
  const found = text.endsWith('>') ? text.slice(text.lastIndexOf('<') + 1, -1) : text;
  const { data } = mailAddress.safeParse(found.trim());
  return data === undefined ? [] : [data];
}

/** Returns the ids of labels for each list of their names, in whatever letters. */
async function labelIds(
  service: ActionService,
  lists: readonly (readonly string[])[],
): Promise<readonly (readonly string[])[]> {
  const { labels } = await service.read({ path: '/users/me/labels' }, labelsSchema);
  const known = new Map(
    labels.flatMap(({ id, name }) => [[id.toLowerCase(), id] as const, [name.toLowerCase(), id] as const]),
  );
  return lists.map((names) =>
    names.map((name) => {
      const id = known.get(name.toLowerCase());
      if (id !== undefined) return id;
      const there = labels.slice(0, NAMED).map((label) => label.name);
      throw new ToolFailure('not_found', `There is no label of this name; there is ${there.join(', ')}`, {
        isForeign: true,
      });
    }),
  );
}

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
async function composeMail({ text, ...mail }: Mail, key: string): Promise<string> {
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
