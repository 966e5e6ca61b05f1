import { z } from 'zod';
import type { Mailbox, ToolContext } from '../../context.ts';
import { actionsWith, defineServiceTool, type ServiceCall } from '../services/service-tool.ts';
import { filePath } from '../../workspace/workspace-path.ts';

/** As large as the documents that are taken apart in a process of their own. */
const MAX_MAIL_BYTES = 25_000_000;
const LISTED = 20;

const words = z.string().min(1).max(200).optional();
const day = z.iso.date().optional();

const parameters = z.strictObject({
  folder: z
    .string()
    .min(1)
    .max(200)
    .regex(/^\P{Cc}+$/u)
    .optional()
    .describe('`INBOX` unless given.'),
  query: z
    .strictObject({
      from: words,
      to: words,
      subject: words,
      text: words.describe('Words anywhere in the mail.'),
      since: day,
      before: day,
      seen: z.boolean().optional(),
      flagged: z.boolean().optional(),
    })
    .optional()
    .describe('In search: all of these have to fit.'),
  uid: z.int().min(1).optional().describe('Of a mail, in its folder.'),
  limit: z.int().min(1).max(100).optional().describe('20 unless given.'),
  before_uid: z.int().min(1).optional().describe('The `next` of a former page.'),
  seen: z.boolean().optional().describe('In mark.'),
  flagged: z.boolean().optional().describe('In mark.'),
  to_folder: z
    .string()
    .min(1)
    .max(200)
    .regex(/^\P{Cc}+$/u)
    .optional()
    .describe('In move.'),
});

type Arguments = z.output<typeof parameters>;
const { keyed, read } = actionsWith<Arguments>();

const ACTIONS = {
  list: read([], async (args, call) => find({ ...args, query: {} }, call)),
  search: read(['query'], async (args, call) => find(args, call)),
  folders: read([], async (_args, { service, context }) =>
    context.connections.inMailbox(service, async (mailbox) => ({ folders: (await mailbox.folders()).slice(0, 500) })),
  ),
  get: read(['uid'], async (args, call) => withMail(args, call, async (mail) => mail)),
  save_attachments: keyed(
    ['uid'],
    {
      // They go into the workspace only.
      approval: 'never',
    },
    async (args, call) =>
      withMail(args, call, async ({ attachments }, bytes) => ({
        saved: await saveAttachments(attachments, bytes, { uid: args.uid, context: call.context }),
      })),
  ),
  mark: keyed(['uid'], async ({ folder = 'INBOX', uid, seen, flagged }, { service, context }) =>
    context.connections.inMailbox(service, async (mailbox) => ({
      marked: await mailbox.mark(folder, uid, { seen, flagged }),
    })),
  ),
  move: keyed(['uid', 'to_folder'], async ({ folder = 'INBOX', uid, to_folder: to }, { service, context }) =>
    context.connections.inMailbox(service, async (mailbox) => {
      const moved = await mailbox.move(folder, uid, to);
      return { moved, ...(!moved && { note: `There is no mail ${uid} in ${folder} (any longer)` }) };
    }),
  ),
};

/** Works with a mailbox. Reading a mail does not mark it as seen. */
export const emailRead = defineServiceTool({
  key: 'email_read',
  name: 'Read e-mail',
  description:
    'Lists, searches and reads the e-mails of a mailbox of the organization, newest first, keeps attachments in the workspace, and marks or moves e-mails.',
  category: 'communication',
  kinds: ['imap'],
  parameters,
  actions: ACTIONS,
});

interface Mail {
  readonly attachments: readonly { readonly name: string }[];
}

async function withMail<T>(
  { folder = 'INBOX', uid }: { readonly folder?: string | undefined; readonly uid: number },
  { service, context }: ServiceCall,
  work: (mail: Mail, bytes: Buffer) => Promise<T>,
): Promise<T> {
  return context.runLargeWork(async () => {
    const read = async (mailbox: Mailbox) => mailbox.read(folder, uid, MAX_MAIL_BYTES);
    const bytes = await context.connections.inMailbox(service, read);
    const json = await context.compute({ kind: 'mail_read' }, { document: async () => bytes });
    return work(JSON.parse(service.mask(json)) as Mail, bytes);
  });
}

async function find(
  { folder = 'INBOX', query = {}, limit = LISTED, before_uid: beforeUid }: Arguments,
  { service, context }: ServiceCall,
): Promise<unknown> {
  const found = async (mailbox: Mailbox) => mailbox.find(folder, query, { limit, beforeUid });
  const { mails, total } = await context.connections.inMailbox(service, found);
  return { mails, total, ...(total > mails.length && { next: mails.at(-1)?.uid }) };
}

const MAX_SAVED = 20;

/** Keeps the attachments of a mail in a folder of the workspace, and returns their paths. */
async function saveAttachments(
  attachments: readonly { readonly name: string }[],
  mail: Buffer,
  { uid, context }: { readonly uid: number; readonly context: ToolContext },
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const [index, { name }] of attachments.slice(0, MAX_SAVED).entries()) {
    const json = await context.compute({ kind: 'mail_read', attachments: [index] }, { document: async () => mail });
    const path = `mail-attachments/${uid}/${index + 1}-${safeName(name)}`;
    const [content = ''] = JSON.parse(json) as string[];
    await context.workspace.write(filePath(path), Buffer.from(content, 'base64'), {
      overwrite: true,
      createFolders: true,
      isForeign: true,
    });
    paths.push(path);
  }
  return paths;
}

// Some systems leave such an end out, and would take it for another file.
function withoutEnd(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.' || name[end - 1] === ' ') end -= 1;
  return name.slice(0, end);
}

// The sender chose the name: it begins with no dot, leads nowhere and is none that a system reserves.
function safeName(name: string): string {
  const safe = name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, '_')
    .slice(-100)
    .replace(/^[. ]+/, '');
  const kept = withoutEnd(safe);
  return kept === '' ? 'attachment' : kept;
}
