import { Validator } from '@cfworker/json-schema';
import type { ComputeJob } from '../job.ts';

type CheckJob = Extract<ComputeJob, { kind: 'check_arguments' }>;

/**
 * Checks arguments by all of a JSON Schema, patterns and references included; returns true. Throws what does not fit.
 * The schema is interpreted: the process may not make code of it.
 */
export function checkArguments({ parameters, given }: CheckJob): true {
  const { valid, errors } = new Validator(parameters, '2020-12').validate(given);
  if (valid) return true;
  // The last one is the innermost.
  const { instanceLocation = '#', error = 'are not valid' } = errors.at(-1) ?? {};
  const place = instanceLocation.replace('#', '').slice(1).replaceAll('/', '.');
  throw new Error(`The arguments do not fit: ${place === '' ? '' : `${place}: `}${error}`);
}
