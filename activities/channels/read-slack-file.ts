import { formatBytes } from '../../domain/core/text.ts';
import { authorizationHeaders } from '../../domain/integrations/address.ts';
import { integrationKind } from '../../domain/integrations/kinds/index.ts';
import { askedWaitMs } from '../core/network/rate-limit.ts';
import { slackFileAddress } from '../tools/builtin/communication/slack.ts';
import type { Service, ToolContext } from '../tools/context.ts';
import { sendRequest } from '../tools/requests/send-request.ts';
import { ToolFailure } from '../tools/tool-failure.ts';

/** A file of a message of Slack. */
interface SlackFile {
  readonly url: string;
  /** Its size; null when Slack does not say. */
  readonly bytes: number | null;
}

const WEB_PAGE = /^\s{0,100}<(?:!doctype html|html)\b/i;
/** Less than the time limit of handling a message. */
const READ_TIMEOUT_MS = 40_000;
const NOT_SLACK = 'Slack has named an address for it that is not on a server of its own';
const NOT_GIVEN = 'Slack does not give it to the app, which needs the scope files:read';

/** Reads a file of Slack with the token of the app, from a server of Slack and no other one; throws `ToolFailure`. */
export async function readSlackFile(
  service: Service,
  { url: named, bytes }: SlackFile,
  { maxBytes, ...context }: Pick<ToolContext, 'http' | 'signal'> & { readonly maxBytes: number },
): Promise<Buffer> {
  const url = slackFileAddress(service, named);
  if (url === undefined) throw new ToolFailure('denied', NOT_SLACK);
  const request = {
    url,
    method: 'GET',
    headers: { ...authorizationHeaders(integrationKind('slack'), service.secrets) },
    body: undefined,
    followRedirects: false,
    timeoutMs: READ_TIMEOUT_MS,
    maxBytes,
  };
  const response = await sendRequest(request, 'read', context);
  const { status, headers, body, isTruncated } = response;
  const waitMs = askedWaitMs(response, Date.now());
  if (waitMs !== undefined) throw new ToolFailure('rate_limited', 'Slack asks to wait', { waitMs });
  if (status >= 500) throw new ToolFailure('upstream', `Slack answers with the status ${status}`);
  if (status === 404 || status === 410) throw new ToolFailure('not_found', 'Slack has it no longer');
  if (isTruncated) throw new ToolFailure('invalid_input', `it is larger than ${formatBytes(maxBytes)}`);
  // Without the right to read it, Slack answers 200 with a page for signing in.
  const isPage =
    /^text\/html\b/i.test(headers.get('content-type') ?? '') || WEB_PAGE.test(body.toString('latin1', 0, 200));
  if (status !== 200 || (isPage && body.length !== bytes)) throw new ToolFailure('denied', NOT_GIVEN);
  return body;
}
