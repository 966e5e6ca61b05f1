import { type ModelImage, type ModelMessage, toWireName } from '../../../domain/transcripts/index.ts';
import { shownText } from '../alternating-messages.ts';
import type { ModelRequest } from '../model-adapter.ts';
import { type AssistantMessage, fill, type FilledPiece, layoutOf } from '../reply-layout.ts';

type Part = Readonly<Record<string, unknown>>;

interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly Part[];
}

/** The catalog's word for this wire format. */
const GEMINI = 'gemini';

/** Gemini 3 rejects the first call of a reply without a signature; this value replaces one that it never gave. */
const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';

/**
 * Turns a transcript into contents of user and model. Results form a content of their own right after their calls,
 * because their number must match that of the calls.
 */
export function toContents({ messages, model }: ModelRequest, isWithoutState: boolean): Content[] {
  const contents: Content[] = [];
  let before: ModelMessage['role'] | undefined;
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'model' : 'user';
    const parts = toParts(message, model, isWithoutState);
    const last = contents.at(-1);
    if (parts.length === 0) continue;
    if (last !== undefined && message.role === before) {
      contents[contents.length - 1] = { role, parts: [...last.parts, ...parts] };
    } else contents.push({ role, parts });
    before = message.role;
  }
  return contents;
}

function toParts(message: ModelMessage, model: string, isWithoutState: boolean): Part[] {
  if (message.role === 'assistant') {
    const parts = toReply(message, isWithoutState ? '' : model);
    return isStrict(model) ? withSignature(parts) : parts;
  }
  if (message.role !== 'tool') {
    const text = { text: shownText(message.content) };
    return message.role === 'user' ? [...(message.images ?? []).map(toImage), text] : [text];
  }
  const { callId: id, name, content, isError } = message;
  const response = isError ? { error: content } : { result: content };
  return [{ functionResponse: { id, name: toWireName(name), response } }];
}

function toImage({ mediaType, data }: ModelImage): Part {
  return { inlineData: { mimeType: mediaType, data } };
}

function toReply(message: AssistantMessage, model: string): Part[] {
  return fill(message, layoutOf(message, GEMINI, model)).flatMap((piece: FilledPiece): Part[] => {
    if (piece.type === 'block') return [];
    const signed = piece.signature === undefined ? {} : { thoughtSignature: piece.signature };
    if (piece.type === 'text')
      return piece.text === '' && piece.signature === undefined ? [] : [{ text: piece.text, ...signed }];
    const { id, name, arguments: args } = piece.call;
    return [{ functionCall: { id, name: toWireName(name), args }, ...signed }];
  });
}

function isStrict(model: string): boolean {
  return !/gemini-[12]\b/.test(model);
}

function withSignature(parts: readonly Part[]): Part[] {
  const first = parts.findIndex((part) => 'functionCall' in part);
  return parts.map((part, at) => (at === first ? { thoughtSignature: FOREIGN_SIGNATURE, ...part } : part));
}
