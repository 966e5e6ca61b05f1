import { z } from 'zod';
import { readDefinition } from '../../db/definitions/read-definitions.ts';
import { createTestRun, takeTestRun, type TestRunOutcome } from '../../db/tool-test-runs.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import { jsonObject } from '../../domain/core/text.ts';
import { runShort } from '../../workflows/short/client.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { isOnlyInChats, reasonsOf } from '../definitions/usability.ts';
import { defineRoute } from '../http/define-route.ts';

const trySchema = z
  .strictObject({ arguments: jsonObject().default({}).describe('The arguments of the call.') })
  .meta({ id: 'ToolTest', examples: [{ arguments: { city: 'Rome' } }] });

const outcomeSchema = z
  .object({
    status: z
      .enum(['success', 'error', 'unknown'])
      .describe('`unknown`: the call may have taken effect, although it returned no result.'),
    result: z
      .unknown()
      .describe(
        'What a model would receive: a text, or the JSON value returned by the tool. A failure is `{"error":{"class","message"}}`. A value of more than 100,000 characters is returned as a truncated text.',
      ),
    logs: z.string().array().describe('The log output of the tool.'),
    duration_ms: z.int(),
  })
  .meta({
    id: 'ToolTestResult',
    examples: [{ status: 'success', result: { temperature: 21 }, logs: ['asked for Rome'], duration_ms: 180 }],
  });

/** Makes one call of a tool outside of chats. The api itself runs no tool: a short workflow makes the call. */
export const testToolRoute = defineRoute({
  method: 'post',
  path: '/api/tools/{tool_id}/test',
  resource: 'tools',
  action: 'test',
  access: 'tools.manage',
  tag: 'Tools',
  operationId: 'testTool',
  summary: 'Call a tool once and return its result, logs and duration',
  description:
    "The call is real and made once, whatever the tool's effect. It may take up to 60 seconds. 409 for a tool that is not `available` or is `only_in_chats`. A builtin tool runs in an empty workspace, which is removed afterwards. A call that would wait for a person's decision is not made: its result is an error of the class `denied`.",
  body: trySchema,
  keepsNumbers: true,
  errors: [409, 503],
  response: { status: 200, description: 'The result of the call', schema: outcomeSchema },
  handler: async ({ caller, params: { tool_id: id }, body, allowedIds }, context) => {
    const toolKey = await usableKey(context, { orgId: caller.orgId, id, onlyKeys: allowedIds });
    const outcome = await makeCall(context, caller, { toolKey, arguments: body.arguments });
    const { status, logs, durationMs } = outcome;
    return { status, result: resultOf(outcome), logs: [...logs], duration_ms: durationMs };
  },
});

function resultOf({ result, isJson }: TestRunOutcome): unknown {
  const parsed = isJson ? parseForeignJson(result, { isExact: true }) : { value: result };
  return 'value' in parsed ? parsed.value : result;
}

interface NamedTool {
  readonly orgId: string;
  readonly id: string;
  readonly onlyKeys: readonly string[] | undefined;
}

async function usableKey(context: ApiContext, named: NamedTool): Promise<string> {
  const { database, definitions } = context;
  const { id, key, origin } = await readDefinition(database, definitions.shipped, { ...named, kind: 'tool' });
  const [inForce] = await definitions.read(named.orgId, 'tool', [key]);
  if (inForce?.id !== id) throw new AppError('conflict', 'Another tool overrides this one');
  const reasons = await reasonsOf(context, named.orgId, { kind: 'tool', all: [{ id, key, origin }] });
  const problem = isOnlyInChats({ key, origin }) ? ONLY_IN_CHATS : reasons.get(id);
  if (problem === undefined) return key;
  throw new AppError('conflict', `The tool cannot be tried: ${problem}`);
}

const ONLY_IN_CHATS =
  'it works on what a chat and its agent have, or in the name of an agent; ask an agent that has it in a chat';

async function makeCall(
  { database, temporal, probes, log }: ApiContext,
  caller: OrgCaller,
  call: { readonly toolKey: string; readonly arguments: Readonly<Record<string, unknown>> },
): Promise<TestRunOutcome> {
  const { orgId, userId } = caller;
  const release = probes.acquire(caller);
  try {
    const trialId = await createTestRun(database, orgId, { userId, ...call });
    const failure = await runShort(temporal, 'tryTool', { orgId, trialId }).catch((error: unknown) => error);
    const outcome = await takeTestRun(database, orgId, trialId);
    if (outcome !== undefined) return outcome;
    log.warn({ err: failure }, 'a tool could not be tried');
    throw new AppError('unavailable', 'The call did not come to an end; it may have taken effect', {
      cause: failure,
      retryAfterSeconds: 5,
    });
  } finally {
    release();
  }
}
