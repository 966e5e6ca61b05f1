import type { z } from 'zod';
import type { ServiceAnswer } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';

/** Returns the JSON of an answer as a schema describes it. Throws `ToolFailure` when it is something else. */
export function parseAnswer<S extends z.ZodType>(schema: S, answer: Pick<ServiceAnswer, 'json'>): z.output<S> {
  const parsed = schema.safeParse(answer.json());
  if (parsed.success) return parsed.data;
  throw new ToolFailure('upstream', 'The answer of the service is not what it was asked for: check the base_url');
}
