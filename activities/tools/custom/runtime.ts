import type { CustomTool } from '../../../domain/tools/index.ts';
import type { ToolContext } from '../context.ts';
import type { ToolArguments, ToolOutput } from '../tool.ts';

/** What the runtimes of custom tools reach. */
export type RuntimeContext = Pick<
  ToolContext,
  'http' | 'openIntegration' | 'compute' | 'runScript' | 'runCommand' | 'idempotencyKey' | 'signal'
>;

/** A call of a custom tool, with arguments of bounded size. */
export interface CustomCall {
  readonly tool: CustomTool;
  readonly args: ToolArguments;
  /** Takes the lines that the tool's code logs. */
  readonly log: (text: string) => void;
}

/** What a model is shown of a value: a text as it is, anything else as JSON. */
export interface ShownValue extends Pick<ToolOutput, 'isJson'> {
  readonly value: string;
}

/** Returns what is shown of a value, given as JSON. It stays JSON, since as objects it may be far larger. */
export function shownValue(json: string): ShownValue {
  return json.startsWith('"') ? { value: String(JSON.parse(json)) } : { value: json, isJson: true };
}
