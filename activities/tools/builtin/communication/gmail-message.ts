import { z } from 'zod';
import { encodingNotice, type ReadText, readText } from '../../../core/texts/read-text.ts';
import type { ServiceAnswer, ToolContext } from '../../context.ts';
import { readAnswer } from '../services/read-answer.ts';

const MAX_PARTS = 200;
const MAX_DEPTH = 10;
/** The headers that a reader needs, by the names of the result. */
const HEADERS = {
  from: 'from',
  reply_to: 'reply-to',
  to: 'to',
  cc: 'cc',
  subject: 'subject',
  date: 'date',
  message_id: 'message-id',
  references: 'references',
} as const;

const headersSchema = z.array(z.object({ name: z.string(), value: z.string() })).default([]);

interface Part {
  readonly mimeType: string;
  readonly filename: string;
  readonly headers: z.output<typeof headersSchema>;
  readonly body: { readonly data?: string | undefined; readonly size: number };
  readonly parts: readonly Part[];
}

const partSchema: z.ZodType<Part> = z.object({
  mimeType: z.string().default(''),
  filename: z.string().default(''),
  headers: headersSchema,
  body: z.object({ data: z.string().optional(), size: z.number().default(0) }).default({ size: 0 }),
  get parts() {
    return z.array(partSchema).default([]);
  },
});

const messageSchema = z.object({
  id: z.string(),
  threadId: z.string().optional(),
  labelIds: z.array(z.string()).default([]),
  snippet: z.string().default(''),
  payload: partSchema.optional(),
});

type Message = z.output<typeof messageSchema>;

/** Returns a message of the API; what lacks in it is empty. */
export function parseMessage(answer: Pick<ServiceAnswer, 'json' | 'effect'>): Message {
  return readAnswer(answer, messageSchema);
}

/** Returns what a list shows of a message. */
export function summaryOf({ id, threadId, labelIds, snippet, payload }: Message) {
  const { from, to, subject, date } = headersOf(payload);
  return { id, thread_id: threadId, from, to, subject, date, labels: labelIds, snippet };
}

/** Returns the headers of a message that a reader needs; undefined for those that it does not have. */
export function headersOf(payload: Part | undefined) {
  const all = new Map((payload?.headers ?? []).map(({ name, value }) => [name.toLowerCase(), value]));
  const entries = Object.entries(HEADERS).map(([shown, name]) => [shown, all.get(name)] as const);
  return Object.fromEntries(entries) as Partial<Record<keyof typeof HEADERS, string>>;
}

/** Returns a whole message: its headers, its text, and what files it has. */
export async function readMessage(message: Message, compute: ToolContext['compute']) {
  const { id, threadId, labelIds, payload } = message;
  const parts = payload === undefined ? [] : partsOf(payload, MAX_DEPTH).slice(0, MAX_PARTS);
  const files = parts.filter(({ filename }) => filename !== '');
  return {
    id,
    thread_id: threadId,
    labels: labelIds,
    ...headersOf(payload),
    ...(await textOf(
      parts.filter(({ filename }) => filename === ''),
      compute,
    )),
    files: files.map(({ filename, mimeType, body }) => ({ name: filename, type: mimeType, bytes: body.size })),
  };
}

function partsOf(part: Part, depth: number): Part[] {
  return depth === 0 ? [part] : [part, ...part.parts.flatMap((each) => partsOf(each, depth - 1))];
}

/** A text, and a notice if its encoding is uncertain. */
interface MessageText {
  readonly text: string;
  readonly notice?: string | undefined;
}

async function textOf(parts: readonly Part[], compute: ToolContext['compute']): Promise<MessageText> {
  const plain = decode(parts, 'text/plain');
  if (plain.text.trim() !== '') return plain;
  const { text: html, notice } = decode(parts, 'text/html');
  if (html === '') return { text: '' };
  const job = { kind: 'page', html, url: 'about:blank', format: 'text', selector: 'body' } as const;
  return { ...z.object({ text: z.string() }).parse(JSON.parse(await compute(job))), notice };
}

function decode(parts: readonly Part[], type: string): MessageText {
  const read = parts.filter(({ mimeType }) => mimeType === type).map(decoded);
  const notice = read.map(encodingNotice).find((each) => each !== undefined);
  return { text: read.map(({ text }) => text).join('\n'), notice };
}

function decoded({ body, headers }: Part): ReadText {
  const bytes = Buffer.from(body.data ?? '', 'base64url');
  const type = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
  return readText(bytes, type);
}
