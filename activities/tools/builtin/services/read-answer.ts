import type { z } from 'zod';
import type { ServiceAnswer } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { RunEffect } from '../../tool.ts';

/**
 * Returns what a service has answered to a request of this effect, as a schema names it. Throws `ToolFailure` when it
 * is something else.
 */
export function readAnswer<S extends z.ZodType>(
  answer: Pick<ServiceAnswer, 'json'>,
  schema: S,
  effect: RunEffect = 'read',
): z.output<S> {
  const { data, error } = schema.safeParse(answer.json());
  if (error === undefined) return data;
  const at = error.issues[0]?.path.join('.') ?? '';
  throw new ToolFailure('upstream', `The answer is not that of the service's API (at "${at}"): check the base_url`, {
    // Whoever answers so may have done it all the same.
    isUncertain: effect === 'once',
  });
}
