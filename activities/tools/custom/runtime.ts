import type { CustomTool } from '../../../domain/tools/index.ts';
import type { ToolContext } from '../context.ts';
import type { ToolArguments } from '../tool.ts';

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
