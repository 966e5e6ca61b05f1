import { z } from 'zod';
import { APPROVAL_MODES, type ToolApproval } from '../approvals.ts';
import { nameText } from '../core/text.ts';
import { recordFields } from '../definitions/definition.ts';
import { EFFECTS } from '../tool-calls/tool-call.ts';
import { TOOL_CATEGORIES } from './category.ts';
import { parseBy, readJsonObject } from './parsed.ts';

/** How a tool is run by its definition. */
const RUNTIMES = ['http', 'javascript', 'shell'] as const;

/** The effects of calls that are run by a definition: handing work to a sub-agent is none of them. */
const RUNTIME_EFFECTS = ['read', 'keyed', 'once'] as const;

/** The defaults of a tool.json that says nothing of its calls. */
export const UNSAID = { effect: 'once', approval: 'never', timeoutSeconds: 30 } as const;

/** The longest time limits, in seconds: of a call that is run by its definition, and of any other. */
const MAX_RUN_S = 120;
const MAX_TIMEOUT_S = 3_600;

const fields = {
  ...recordFields,
  category: z.enum(TOOL_CATEGORIES),
  parameters: z.record(z.string(), z.unknown()),
  integration: nameText(100),
  requires_approval: z.enum(APPROVAL_MODES),
};

/** A tool.json that says how the tool is run. */
const runnableSchema = z
  .looseObject({
    ...fields,
    effect: z.enum(RUNTIME_EFFECTS),
    runtime: z.enum(RUNTIMES),
    timeout_s: z.int().min(1).max(MAX_RUN_S),
  })
  .partial()
  .required({ runtime: true });

/** A tool.json that describes a tool: one that is part of the service, or one that is being written. */
const describingSchema = z
  .looseObject({ ...fields, effect: z.enum(EFFECTS), timeout_s: z.int().min(1).max(MAX_TIMEOUT_S) })
  .partial();

/** The fields of a tool.json that says how the tool is run. */
export type RunnableToolFile = z.output<typeof runnableSchema>;

/** The fields of a tool.json. */
export type ToolFile = RunnableToolFile | (z.output<typeof describingSchema> & { readonly runtime?: undefined });

/**
 * Returns the schema of a tool.json with these fields. It may be written little by little: what is there must be right,
 * and what is missing keeps the tool from being given to a model. Fields that nobody knows are kept.
 */
export function toolFileSchema(given: Readonly<Record<string, unknown>>): z.ZodType<ToolFile> {
  return Object.hasOwn(given, 'runtime') ? runnableSchema : describingSchema;
}

/**
 * Returns when the calls of a stored tool.json wait for approval, whether or not it suffices to run the tool;
 * `undefined` when it cannot be read.
 */
export function approvalOfToolFile(content: string): ToolApproval | undefined {
  const given = readJsonObject(content);
  if ('issue' in given) return undefined;
  const file = parseBy(toolFileSchema(given.value), given.value);
  if ('issue' in file) return undefined;
  const { effect = UNSAID.effect, requires_approval: approval = UNSAID.approval } = file.value;
  return { effect, approval };
}
