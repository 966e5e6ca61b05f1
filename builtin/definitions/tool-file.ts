import { z } from 'zod';
import { EFFECTS } from '../../domain/tool-calls/index.ts';
import { TOOL_CATEGORIES } from '../../domain/tools/index.ts';
import { faultOf } from './definition-fault.ts';
import { parametersIssue } from './parameters/parameters-issue.ts';
import { parseFields, parseJsonObject } from './parse-fields.ts';
import { recordFields, type SaidFields } from './said-fields.ts';

/** The file that says what a tool is. */
export const TOOL_FILE = 'tool.json';

// A definition may be written little by little: what is there must be right, and what is missing keeps it from being
// given to a model. Fields beyond these belong to the tool's runtime.
const toolFileSchema = z
  .looseObject({
    ...recordFields,
    category: z.enum(TOOL_CATEGORIES),
    parameters: z.record(z.string(), z.unknown()),
    effect: z.enum(EFFECTS),
    timeout_s: z.int().min(1).max(3_600),
  })
  .partial();

/** The fields of a tool.json. */
export type ToolFile = z.output<typeof toolFileSchema>;

/** Reads a tool.json; throws what is wrong with it. */
export function readToolFile(content: string): ToolFile {
  const fields = parseFields(TOOL_FILE, toolFileSchema, parseJsonObject(TOOL_FILE, content));
  const issue = fields.parameters && parametersIssue(fields.parameters);
  if (issue !== undefined) throw faultOf(TOOL_FILE, `parameters: ${issue}`);
  return fields;
}

/** Returns what a tool.json says of its record. */
export function saidByToolFile({ key, name, description, category, version }: ToolFile): Partial<SaidFields> {
  return definedOf({ key, name, description, category, version });
}

/** Returns whether a tool.json says nothing but what its record does. */
export function isOnlyRecord(file: ToolFile): boolean {
  const own: ReadonlySet<string> = new Set(['key', 'name', 'description', 'category', 'version']);
  return Object.keys(file).every((name) => own.has(name));
}

/** Returns a tool.json in which the given fields of its record stand; those that it has keep their place. */
export function writeToolFile(content: string | undefined, said: Partial<SaidFields>): string {
  const file = content === undefined ? {} : parseJsonObject(TOOL_FILE, content);
  return `${JSON.stringify({ ...file, ...said }, undefined, 2)}\n`;
}

function definedOf<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
