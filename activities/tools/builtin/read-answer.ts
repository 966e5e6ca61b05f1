import type { z } from 'zod';
import type { ServiceAnswer } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';

/** Returns what a tool needs of an answer. Throws `ToolFailure` for one that lacks it. */
export function readAnswer<S extends z.ZodType>(answer: Pick<ServiceAnswer, 'json'>, schema: S): z.output<S> {
  const read = schema.safeParse(answer.json());
  if (read.success) return read.data;
  throw new ToolFailure('upstream', 'The answer of the service lacks what it has by its documentation');
}
