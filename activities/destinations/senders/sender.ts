import type { DestinationConfig } from '../../../domain/destinations.ts';
import type { GuardedSockets } from '../../core/network/guarded-connect.ts';
import type { GuardedHttp } from '../../core/network/guarded-http.ts';
import type { Block, Service } from '../../tools/index.ts';
import { type Dialect, renderBlocks } from '../render-blocks.ts';
import type { Report } from '../report.ts';

/** What a report is sent with. */
export interface SendContext {
  readonly config: DestinationConfig;
  readonly http: GuardedHttp;
  readonly sockets: GuardedSockets;
  /** Reads Markdown; so that no text can hold up this process, another one does it. */
  readonly toBlocks: (markdown: string) => Promise<readonly Block[]>;
  /** Converts Markdown to HTML without anything that runs, or to plain text. */
  readonly convert: (markdown: string, to: 'html' | 'text') => Promise<string>;
  readonly signal: AbortSignal;
}

/**
 * Sends a report by the service of an integration. Returns words about what was not taken of it, and null when all was.
 * Throws `ToolFailure` when nothing was.
 */
export type Sender = (service: Service, report: Report, context: SendContext) => Promise<string | null>;

/** How long a message of a service may be, and how it is written there. */
interface MessageForm {
  readonly dialect: Dialect;
  /** The most characters of Markdown that are written. */
  readonly characters: number;
  /** The most bytes of what is written. */
  readonly bytes: number;
}

/** The end of a text that was cut. */
export const CUT = '\n\n[…]';

/** Writes a report as one message: its subject, its body as far as it fits, and its link. */
export async function messageOf(
  { subject, body, link }: Report,
  { dialect, characters, bytes }: MessageForm,
  { toBlocks }: Pick<SendContext, 'toBlocks'>,
): Promise<string> {
  for (let most = characters; ; most = Math.floor(most / 2)) {
    const text = body.length > most ? `${body.slice(0, most).toWellFormed()}${CUT}` : body;
    const parts = [
      dialect.bold(dialect.escape(subject)),
      renderBlocks(await toBlocks(text), dialect),
      link === null ? '' : dialect.link(LINK_TEXT, link),
    ];
    const message = parts.filter((part) => part !== '').join('\n\n');
    if (Buffer.byteLength(message) <= bytes || most < 100) return message;
  }
}

/** What the link of a report is called. */
export const LINK_TEXT = 'Open in Everturn';

/** Returns words about files that a service has not taken. */
export function notTaken(error: Error): string {
  return `The message was taken, its files were not: ${error.message}`;
}
