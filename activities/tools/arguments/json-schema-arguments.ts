import { argumentsIssue } from '../../../definition-files/index.ts';
import type { ToolArguments, ToolParameters } from '../tool.ts';
import { checkBounds, type Checked, misfit } from './checked-arguments.ts';

/** Validates a call's arguments with a foreign JSON Schema, as far as that is sure to be quick. */
export function checkBySchema(key: string, parameters: ToolParameters, args: unknown): Checked<ToolArguments> {
  const bounded = checkBounds(key, args);
  if ('error' in bounded) return bounded;
  const issue = argumentsIssue(parameters, bounded.value);
  return issue === undefined ? bounded : misfit(key, issue.path, issue.words);
}
