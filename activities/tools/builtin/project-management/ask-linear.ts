import { z } from 'zod';
import { limitWaitMs, type Service, type ServiceAnswer } from '../../context.ts';
import { ToolFailure, type ToolFailureClass } from '../../tool-failure.ts';
import type { RunEffect } from '../../tool.ts';
import { readAnswer } from '../services/read-answer.ts';

/** A GraphQL operation with its variables; those that are undefined are left out. */
interface Operation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly effect: RunEffect;
}

type GraphqlError = z.output<typeof graphqlError>;

const graphqlError = z.object({
  message: z.string(),
  extensions: z
    .object({
      code: z.string().optional(),
      type: z.string().optional(),
      userPresentableMessage: z.string().optional(),
    })
    .optional(),
});
const envelope = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(graphqlError).optional(),
});

/** What codes and types of Linear's errors mean; those of no row are failures of Linear. */
const CLASSES: readonly (readonly [RegExp, ToolFailureClass])[] = [
  [/ratelimit/, 'rate_limited'],
  [/not found/, 'not_found'],
  [/auth|forbidden|feature not accessible/, 'denied'],
  [/input|argument|user error|graphql/, 'invalid_input'],
];

/** Asks Linear, and returns the data of its answer. Throws `ToolFailure` in the words of its first error. */
export async function askLinear(service: Service, { query, variables = {}, effect }: Operation) {
  // Errors come with the status 200 or 400, whatever they are.
  const sent = { method: 'POST', path: '/graphql', json: { query, variables }, effect, accepts: [400] } as const;
  const answer = await service.request(sent);
  const { data, errors: [error] = [] } = readAnswer(answer, envelope);
  if (error !== undefined) throw failureOf(error, answer);
  if (data === undefined || data === null)
    throw new ToolFailure('upstream', 'Linear has answered without any data', { isUncertain: effect !== 'read' });
  return data;
}

function failureOf({ message, extensions = {} }: GraphqlError, answer: ServiceAnswer): ToolFailure {
  const { code = '', type = '', userPresentableMessage: words = message } = extensions;
  const told = `${code} ${type} ${message}`.toLowerCase();
  const kind = CLASSES.find(([pattern]) => pattern.test(told))?.[1] ?? 'upstream';
  return new ToolFailure(kind, `Linear answers: ${words.slice(0, 500)}`, {
    isForeign: true,
    isUncertain: kind === 'upstream' && answer.effect !== 'read',
    waitMs:
      kind === 'rate_limited' ? limitWaitMs({ headers: answer.headers, body: answer.bytes }, Date.now()) : undefined,
  });
}
