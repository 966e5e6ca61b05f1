import { z } from 'zod';
import {
  type DefinitionContent,
  type DefinitionFiles,
  type DefinitionKind,
  recordFields,
} from '../domain/definitions/definition.ts';
import { beginsWithFrontMatter, keyIssue, SKILL_CATEGORIES, SKILL_FILE } from '../domain/definitions/files.ts';
import { checkFiles, checkSize, SKILL_RECORD_FILE } from './check-files.ts';
import { DEFAULT_VERSION, faultOf, parseFields, parseJsonObject, type SaidFields } from './definition-fault.ts';
import { PERSONA_FILE, PROMPT_FILE, readPersonaFiles, writePersonaFiles } from './persona-file.ts';
import { recordOfSkillFile, saidBySkillFile } from './skill-file.ts';
import {
  checkRequestFile,
  isOnlyRecord,
  readToolFile,
  REQUEST_FILE,
  saidByStoredFile,
  saidByToolFile,
  TOOL_FILE,
  writeToolFile,
} from './tool-files/tool-file.ts';

interface Format {
  readonly read: (names: FolderNames, files: DefinitionFiles, options: ReadOptions) => DefinitionContent;
  readonly write: (content: DefinitionContent) => Map<string, string>;
}

const recordSchema = z.strictObject({
  ...recordFields,
  key: recordFields.key.optional(),
  category: z.enum(SKILL_CATEGORIES),
  version: recordFields.version.default(DEFAULT_VERSION),
});

const FORMATS: Readonly<Record<DefinitionKind, Format>> = {
  tool: { read: readToolFolder, write: writeToolFolder },
  skill: { read: readSkillFolder, write: writeSkillFolder },
  persona: { read: readPersonaFolder, write: writePersonaFolder },
};

/**
 * Reads a folder of definition files; throws a `DefinitionFault` that says what is wrong with it. Its name is the key;
 * without a name its files have to say it. A key that is wanted goes before both.
 */
export function readDefinitionFolder(
  kind: DefinitionKind,
  folder: string | undefined,
  files: DefinitionFiles,
  options: ReadOptions = {},
): DefinitionContent {
  checkFiles(files);
  const content = FORMATS[kind].read({ folder, wanted: options.wanted }, files, options);
  checkSize(content.files);
  return { ...content, files: inOrder(content.files) };
}

/** Writes a definition as the files of its folder, in the order of their paths. */
export function writeDefinitionFolder(kind: DefinitionKind, content: DefinitionContent): DefinitionFiles {
  return inOrder(FORMATS[kind].write(content));
}

function inOrder(files: DefinitionFiles): DefinitionFiles {
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What names a folder of files, beside the files themselves. */
interface FolderNames {
  readonly folder: string | undefined;
  /** The key that its reader wants, whatever folder and files say. */
  readonly wanted?: string | undefined;
}

/** How a folder of files is read. */
interface ReadOptions extends Pick<FolderNames, 'wanted'> {
  /** Whether the parameters of a tool are examined; unless they ship with the service, whose tests examine them. */
  readonly isExamined?: boolean;
}

/**
 * Returns the key of a folder of files: the one that is wanted, or what its file says, which is its name where it has
 * one.
 */
function keyOf({ folder, wanted }: FolderNames, said: string | undefined, path: string): string {
  const key = wanted ?? folder ?? said;
  if (key === undefined) throw faultOf(path, 'must have a key, or lie in a folder that is named by it');
  const issue = keyIssue(key);
  if (issue !== undefined) throw faultOf('', `the key "${key}" ${issue}`);
  if (wanted === undefined && said !== undefined && said !== key)
    throw faultOf(path, `must have the key "${key}", as its folder is named`);
  return key;
}

/** Reads the folder of a persona. */
function readPersonaFolder(names: FolderNames, files: DefinitionFiles): DefinitionContent {
  const fields = files.get(PERSONA_FILE);
  if (fields === undefined) throw faultOf('', `has no ${PERSONA_FILE}`);
  const other = [...files.keys()].find((path) => path !== PERSONA_FILE && path !== PROMPT_FILE);
  if (other !== undefined)
    throw faultOf(other, `is neither ${PERSONA_FILE} nor ${PROMPT_FILE}, of which a persona is made`);
  const { said, persona } = readPersonaFiles(fields, files.get(PROMPT_FILE));
  return { ...said, key: keyOf(names, said.key, PERSONA_FILE), files: new Map(), persona };
}

/** Writes the folder of a persona. */
function writePersonaFolder({ persona, ...record }: DefinitionContent): Map<string, string> {
  if (persona === null) throw new Error('a persona has the fields of one');
  return new Map(writePersonaFiles(record, persona));
}

/** Reads the folder of a skill, of this service or any other program that follows the Agent Skills layout. */
function readSkillFolder(names: FolderNames, files: DefinitionFiles): DefinitionContent {
  const instructions = files.get(SKILL_FILE);
  const record = files.get(SKILL_RECORD_FILE);
  if (record !== undefined) {
    const read = parseFields(SKILL_RECORD_FILE, recordSchema, parseJsonObject(SKILL_RECORD_FILE, record));
    const key = keyOf(names, read.key, SKILL_RECORD_FILE);
    // Whoever has written into an export has written into SKILL.md.
    const said = instructions === undefined ? {} : saidBySkillFile(instructions);
    return { ...read, ...said, key, files: without(files, SKILL_RECORD_FILE), persona: null };
  }
  if (instructions === undefined) throw faultOf('', `has no ${SKILL_FILE}`);
  const { key, ...said } = recordOfSkillFile(instructions);
  return { ...said, key: keyOf(names, names.folder === undefined ? key : undefined, SKILL_FILE), files, persona: null };
}

/** Writes the folder of a skill: its files, and `skill.json` where SKILL.md does not say what the record does. */
function writeSkillFolder(content: DefinitionContent): Map<string, string> {
  const { files, key, name, description, category, version } = content;
  const record = { key, name, description, category, version };
  const text = files.get(SKILL_FILE);
  if (text !== undefined && isSaidBy(text, record)) return new Map(files);
  return new Map([...files, [SKILL_RECORD_FILE, `${JSON.stringify(record, undefined, 2)}\n`]]);
}

function isSaidBy(text: string, { key: _key, ...record }: SaidFields): boolean {
  if (!beginsWithFrontMatter(text)) return false;
  const said = recordOfSkillFile(text);
  return Object.entries(record).every(([field, value]) => Reflect.get(said, field) === value);
}

function without(files: DefinitionFiles, path: string): DefinitionFiles {
  return new Map([...files].filter(([each]) => each !== path));
}

/** Reads the folder of a tool. A tool.json that says what its record does and nothing else is no file of the tool. */
function readToolFolder(names: FolderNames, files: DefinitionFiles, { isExamined }: ReadOptions): DefinitionContent {
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
function writeToolFolder(content: DefinitionContent): Map<string, string> {
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
