import { cut } from '../../../../domain/core/text.ts';
import type { ToolContext } from '../../context.ts';
import { readBody, sendRequest } from '../../requests/send-request.ts';
import { ToolFailure, type ToolFailureClass } from '../../tool-failure.ts';

/** A GET for a text. */
interface TextRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly mayFollow?: (url: string) => boolean;
}

/** A text that an address has answered. */
export interface FetchedText {
  readonly text: string;
  /** Says that the encoding of the text is uncertain. */
  readonly notice?: string | undefined;
  /** The content type without its parameters, in lower case; '' when the server names none. */
  readonly type: string;
  /** After redirects. */
  readonly url: string;
  /** Whether the text is longer than `maxBytes`. */
  readonly isTruncated: boolean;
}

const STATUS_CLASSES: ReadonlyMap<number, ToolFailureClass> = new Map([
  [401, 'denied'],
  [403, 'denied'],
  [404, 'not_found'],
  [410, 'not_found'],
  [429, 'rate_limited'],
  [451, 'denied'],
]);

/** Fetches a text. Throws a `ToolFailure` when the address answers none, or answers with an error. */
export async function fetchText(
  { headers = {}, ...request }: TextRequest,
  context: Pick<ToolContext, 'http' | 'signal'>,
): Promise<FetchedText> {
  const wanted = { ...request, headers, method: 'GET', body: undefined, followRedirects: true };
  const answer = await sendRequest(wanted, 'read', context);
  if (answer.status >= 300) throw failureOf(answer.status);
  const type = answer.headers.get('content-type') ?? '';
  return {
    ...readBody(answer.body, type),
    type: type.split(';', 1)[0]?.trim().toLowerCase() ?? '',
    url: answer.finalUrl,
    isTruncated: answer.isTruncated,
  };
}

/** Returns the failure that an answer with this status is. */
export function failureOf(status: number): ToolFailure {
  const kind = STATUS_CLASSES.get(status) ?? 'upstream';
  return new ToolFailure(kind, `The address answers with the status ${status}`);
}

const MAX_CHARACTERS = 200;

/**
 * Returns host and path of an address for a label: two requests to one host have different labels. A query may contain
 * secrets and is left out.
 */
export function addressLabel(url: string): string {
  const address = URL.parse(url);
  const text = address === null ? url : `${address.host}${address.pathname}`;
  return text.length > MAX_CHARACTERS ? `${cut(text, MAX_CHARACTERS)}…` : text;
}
