import type { TargetThread } from '../../../db/webhooks/next-delivery.ts';
import type { AnsweredMail } from '../../../domain/inbound-mail.ts';
import { formatBytes, plainLine } from '../../../domain/core/text.ts';
import type { DestinationConfig } from '../../../domain/destinations.ts';
import type { GuardedSockets } from '../../core/network/guarded-connect.ts';
import type { GuardedHttp } from '../../core/network/guarded-http.ts';
import type { Block } from '../../tools/compute/job.ts';
import type { Service } from '../../tools/context.ts';
import { type Dialect, renderBlocks } from '../render-blocks.ts';
import type { Report, ReportFile } from '../report.ts';

/** The dependencies of a sender. */
export interface SendContext {
  readonly config: DestinationConfig;
  readonly http: GuardedHttp;
  readonly sockets: GuardedSockets;
  /** Parses Markdown in another process, so that no text blocks this one. */
  readonly toBlocks: (markdown: string) => Promise<readonly Block[]>;
  /** Converts Markdown to HTML without anything that runs, or to plain text. */
  readonly convert: (markdown: string, to: 'html' | 'text') => Promise<string>;
  readonly signal: AbortSignal;
}

/**
 * Sends a report by the service of an integration. Returns a description of what the service did not accept, and null
 * if it accepted all. Throws `ToolFailure` if it accepted nothing.
 */
export type Sender = (service: Service, report: Report, context: SendContext) => Promise<string | null>;

/** An answer, and where it belongs. */
export interface ThreadAnswer extends TargetThread {
  /** The message of the service that becomes the answer; null for none. */
  readonly reply: string | null;
  /** The mail that an answer refers to; null for other messages. */
  readonly mail: AnsweredMail | null;
  /** In Markdown. */
  readonly body: string;
  /** The chat in the console, where all of a long answer is. */
  readonly link: string;
  /** The files that it links to. */
  readonly files: readonly ReportFile[];
  /** Those that do not go with it. */
  readonly unattached: Report['unattached'];
  /** The same each time that this answer is sent. */
  readonly key: string;
  /** Waits until an edit of the reply that may be in progress has ended; returns false when there is none. */
  readonly outlastEdit: () => Promise<boolean>;
}

/** The dependencies of sending an answer. */
export type AnswerContext = Omit<SendContext, 'config'>;

/** The limits and the markup of a service's messages. */
interface MessageForm {
  readonly dialect: Dialect;
  /** The most characters of Markdown that are rendered. */
  readonly characters: number;
  /** The most bytes of the rendered message. */
  readonly bytes: number;
}

/** The end of a text that was cut. */
export const CUT = '\n\n[…]';

/** Renders a report as one message: its subject if it has one, its body as far as it fits, its files and its link. */
export async function messageOf(
  { subject, body, link, unattached = [] }: Pick<Report, 'subject' | 'body' | 'link'> & Partial<Report>,
  { dialect, characters, bytes }: MessageForm,
  { toBlocks }: Pick<SendContext, 'toBlocks'>,
): Promise<string> {
  for (let most = characters; ; most = Math.floor(most / 2)) {
    const text = body.length > most ? `${body.slice(0, most).toWellFormed()}${CUT}` : body;
    const parts = [
      subject === '' ? '' : dialect.bold(dialect.escape(subject)),
      renderBlocks(await toBlocks(text), dialect),
      fileLines(unattached, dialect).join('\n'),
      link === null ? '' : dialect.link(LINK_TEXT, link),
    ];
    const message = parts.filter((part) => part !== '').join('\n\n');
    if (Buffer.byteLength(message) <= bytes || most < 100) return message;
  }
}

const MAX_PATH = 100;

/** Returns a line for each file that is not attached, with its link. */
export function fileLines(files: Report['unattached'], { escape, link }: Pick<Dialect, 'escape' | 'link'>): string[] {
  return files.map(({ path, bytes, link: address }) => {
    // Nothing in a name ends the text of a link.
    const name = escape(plainLine(path, MAX_PATH).replaceAll('[', '(').replaceAll(']', ')'));
    const size = formatBytes(bytes);
    if (address === null) return `• ${name} (${size}), not attached`;
    const until = `${address.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    return `• ${link(name, address.url)} (${size}), until ${until}`;
  });
}

/** The text of the link of a report. */
export const LINK_TEXT = 'Open in Everturn';

/** Describes files that a service has not accepted. */
export function notTaken(error: Error): string {
  return `The message was accepted, its files were not: ${error.message}`;
}
