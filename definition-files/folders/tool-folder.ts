import type { DefinitionContent, DefinitionFiles } from '../../domain/definitions/index.ts';
import { faultOf } from '../definition-fault.ts';
import { DEFAULT_VERSION, type SaidFields } from '../said-fields.ts';
import { checkRequestFile, REQUEST_FILE } from '../tool-files/request-file.ts';
import {
  isOnlyRecord,
  readToolFile,
  saidByStoredFile,
  saidByToolFile,
  TOOL_FILE,
  writeToolFile,
} from '../tool-files/tool-file.ts';
import { type FolderNames, keyOf, type ReadOptions } from './key-of.ts';

/** Reads the folder of a tool. A tool.json that says what its record does and nothing else is no file of the tool. */
export function readToolFolder(
  names: FolderNames,
  files: DefinitionFiles,
  { isExamined }: ReadOptions,
): DefinitionContent {
  const text = files.get(TOOL_FILE);
  if (text === undefined) throw faultOf('', `has no ${TOOL_FILE}`);
  const file = readToolFile(text, { isExamined });
  const { key: said, name, description, category, version = DEFAULT_VERSION } = saidByToolFile(file);
  if (name === undefined || description === undefined || category === undefined)
    throw faultOf(TOOL_FILE, 'must have name, description and category');
  const request = files.get(REQUEST_FILE);
  if (request !== undefined) checkRequestFile(request);
  const key = keyOf(names, said, TOOL_FILE);
  const kept = new Map(files);
  if (isOnlyRecord(file)) kept.delete(TOOL_FILE);
  else if (said !== undefined && said !== key) kept.set(TOOL_FILE, writeToolFile(text, { key }));
  return {
    key,
    name,
    description,
    category,
    version,
    files: kept,
    persona: null,
  };
}

/** Writes the folder of a tool: its files, and in tool.json what its record says. */
export function writeToolFolder(content: DefinitionContent): Map<string, string> {
  const text = content.files.get(TOOL_FILE);
  const said: Partial<SaidFields> = text === undefined ? {} : saidByStoredFile(text);
  const { key, name, description, category, version } = content;
  const record = { name, description, category, version };
  const isSaid = Object.entries(record).every(([field, value]) => value === sayingOf(said, field));
  const file = isSaid && text !== undefined ? text : writeToolFile(text, { key, ...record });
  return new Map([...content.files, [TOOL_FILE, file]]);
}

function sayingOf(said: Partial<SaidFields>, field: string): unknown {
  return Reflect.get({ version: DEFAULT_VERSION, ...said }, field);
}
