import type { z } from 'zod';
import type { ServiceAnswer } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';

/**
 * Returns what a service has answered, as a schema names it. Throws `ToolFailure` when it is something else; after a
 * write it is uncertain then whether that was made.
 */
export function readAnswer<S extends z.ZodType>(
  answer: Pick<ServiceAnswer, 'json' | 'effect'>,
  schema: S,
): z.output<S> {
  const { data, error } = schema.safeParse(answer.json());
  if (error === undefined) return data;
  const at = error.issues[0]?.path.join('.') ?? '';
  throw new ToolFailure('upstream', `The answer is not that of the service's API (at "${at}"): check the base_url`, {
    // Whoever answers so may have done it all the same; a call that the model makes again has another key.
    isUncertain: answer.effect !== 'read',
  });
}
