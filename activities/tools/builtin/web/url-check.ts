import { z } from 'zod';
import { type GuardedResponse, HttpFailure, type ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { addressLabel } from './fetch-text.ts';
import { bodyText } from '../../requests/send-request.ts';

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const parameters = z.strictObject({
  url: z.string().min(1).max(8_192).describe('Address, beginning with https:// or http://.'),
  method: z.enum(['GET', 'HEAD']).optional().describe('GET when left out.'),
  expect_status: z
    .int()
    .min(100)
    .max(599)
    .optional()
    .describe('The status that counts as right; any from 200 to 299 when left out.'),
  expect_text: z.string().min(1).max(1_000).optional().describe('Text that the response to a GET must contain.'),
});

type Arguments = z.output<typeof parameters>;

/** Checks whether an address answers as it should. */
export const urlCheck = defineTool({
  key: 'url_check',
  name: 'Check an address',
  description:
    'Checks whether an address responds: status, redirects, time, when its certificate expires, and whether the response is as expected. It does not return the content.',
  category: 'web',
  parameters,
  effect: 'read',
  timeoutSeconds: 60,
  label: ({ url }) => `Checking ${addressLabel(url)}`,
  run: async (args, context) => {
    if (args.method === 'HEAD' && args.expect_text !== undefined)
      throw new ToolFailure('invalid_input', 'expect_text requires the method GET');
    return { value: await check(args, context), isForeign: true };
  },
});

/** One answer on the way. */
interface Hop {
  readonly status: number;
  readonly to: string;
}

async function check(args: Arguments, context: ToolContext) {
  const startedAt = performance.now();
  const redirects: Hop[] = [];
  try {
    const answer = await follow(args, context, redirects);
    const problem = problemOf(args, answer);
    return {
      ok: problem === undefined,
      ...(problem !== undefined && { problem }),
      status: answer.status,
      address: answer.finalUrl,
      redirects,
      time_ms: Math.round(performance.now() - startedAt),
      certificate_expires_at: context.certificateExpiry(answer.finalUrl)?.toISOString() ?? null,
    };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (error.kind === 'denied' || error.kind === 'invalid_input')
      throw new ToolFailure(error.kind, error.message, { cause: error });
    return { ok: false, problem: error.message, redirects, time_ms: Math.round(performance.now() - startedAt) };
  }
}

// One hop after the other, each under the checks of the client, because the way is part of the answer.
async function follow(
  { url, method = 'GET' }: Arguments,
  { http, signal }: ToolContext,
  redirects: Hop[],
): Promise<GuardedResponse> {
  const common = { method, headers: {}, followRedirects: false, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal };
  let answer = await http.request({ ...common, url });
  while (REDIRECTS.has(answer.status)) {
    const target = URL.parse(answer.headers.get('location') ?? '', answer.finalUrl);
    if (target === null || redirects.length === MAX_REDIRECTS) return answer;
    redirects.push({ status: answer.status, to: target.href });
    answer = await http.request({ ...common, url: target.href });
  }
  return answer;
}

function problemOf(
  { expect_status: status, expect_text: text }: Arguments,
  answer: GuardedResponse,
): string | undefined {
  const isRight = status === undefined ? answer.status >= 200 && answer.status < 300 : answer.status === status;
  if (!isRight) return `The status is ${answer.status}${status === undefined ? '' : ` and not ${status}`}`;
  if (text === undefined || bodyText(answer.body, answer.headers.get('content-type') ?? '').includes(text))
    return undefined;
  return answer.isTruncated
    ? 'The first 2 MB of the response do not contain the text'
    : 'The response does not contain the text';
}
