import jsonata from 'jsonata';
import { readRequestFile } from '../../domain/tools/request-template.ts';
import { type ToolFile, toolFileSchema } from '../../domain/tools/tool-file.ts';
import { faultOf, parseFields, parseJsonObject, type SaidFields } from '../definition-fault.ts';
import { parametersIssue } from '../parameters-issue.ts';

/** The file that says what a tool is. */
export const TOOL_FILE = 'tool.json';

/** Reads a tool.json; throws what is wrong with it, and with its parameters where they are examined. */
export function readToolFile(
  content: string,
  { isExamined = true }: { readonly isExamined?: boolean | undefined } = {},
): ToolFile {
  const given = parseJsonObject(TOOL_FILE, content);
  const fields = parseFields(TOOL_FILE, toolFileSchema(given), given);
  const issue = isExamined && fields.parameters ? parametersIssue(fields.parameters) : undefined;
  if (issue !== undefined) throw faultOf(TOOL_FILE, `parameters: ${issue}`);
  return fields;
}

const OF_RECORD = ['key', 'name', 'description', 'category', 'version'] as const;

/** Returns what a tool.json says of its record. */
export function saidByToolFile(file: ToolFile): Partial<SaidFields> {
  return Object.fromEntries(OF_RECORD.filter((name) => file[name] !== undefined).map((name) => [name, file[name]]));
}

/**
 * Returns what a stored tool.json says of its record; the rules of other fields may have changed since it was written.
 */
export function saidByStoredFile(content: string): Partial<SaidFields> {
  return saidByToolFile(parseJsonObject(TOOL_FILE, content));
}

/** Returns whether a tool.json says nothing but what its record does. */
export function isOnlyRecord(file: ToolFile): boolean {
  const own: ReadonlySet<string> = new Set(OF_RECORD);
  return Object.keys(file).every((name) => own.has(name));
}

/** Returns a tool.json with the given fields of its record; those that it has keep their position. */
export function writeToolFile(content: string | undefined, said: Partial<SaidFields>): string {
  const file = content === undefined ? {} : parseJsonObject(TOOL_FILE, content);
  return `${JSON.stringify({ ...file, ...said }, undefined, 2)}\n`;
}

/** The file that says what request a tool sends. */
export const REQUEST_FILE = 'http.json';

/** Checks an http.json by itself: which arguments there are, tool.json says. Throws what is wrong with it. */
export function checkRequestFile(content: string): void {
  const request = readRequestFile(content);
  if ('issue' in request) throw faultOf(REQUEST_FILE, request.issue);
  const { result } = request.value;
  const issue = result === undefined ? undefined : expressionIssue(result);
  if (issue !== undefined) throw faultOf(REQUEST_FILE, `result: ${issue}`);
}

/** Returns why a text is no JSONata, or `undefined`. It is read and never evaluated; its length must be bounded. */
export function expressionIssue(expression: string): string | undefined {
  try {
    jsonata(expression);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return 'it nests too deep';
    // The library throws objects that are no errors.
    const { message = '', position } = error as { readonly message?: string; readonly position?: number };
    return `it is not JSONata: ${message}${position === undefined ? '' : ` (at character ${position})`}`;
  }
}
