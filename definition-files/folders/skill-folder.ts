import { z } from 'zod';
import {
  type DefinitionContent,
  type DefinitionFiles,
  recordFields,
  SKILL_CATEGORIES,
  SKILL_FILE,
} from '../../domain/definitions/index.ts';
import { SKILL_RECORD_FILE } from '../check-files.ts';
import { faultOf } from '../definition-fault.ts';
import { parseFields, parseJsonObject } from '../parse-fields.ts';
import { DEFAULT_VERSION, type SaidFields } from '../said-fields.ts';
import { readSkillFile, recordOfSkillFile, saidBySkillFile } from '../skill-file.ts';
import { type FolderNames, keyOf } from './key-of.ts';

const recordSchema = z.strictObject({
  ...recordFields,
  key: recordFields.key.optional(),
  category: z.enum(SKILL_CATEGORIES),
  version: recordFields.version.default(DEFAULT_VERSION),
});

/** Reads the folder of a skill, of this service or any other program that follows the Agent Skills layout. */
export function readSkillFolder(names: FolderNames, files: DefinitionFiles): DefinitionContent {
  const instructions = files.get(SKILL_FILE);
  if (instructions !== undefined) readSkillFile(instructions);
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
export function writeSkillFolder(content: DefinitionContent): Map<string, string> {
  const { files, key, name, description, category, version } = content;
  const record = { key, name, description, category, version };
  const text = files.get(SKILL_FILE);
  if (text !== undefined && isSaidBy(text, record)) return new Map(files);
  return new Map([...files, [SKILL_RECORD_FILE, `${JSON.stringify(record, undefined, 2)}\n`]]);
}

function isSaidBy(text: string, { key: _key, ...record }: SaidFields): boolean {
  const said = recordOfSkillFile(text);
  return Object.entries(record).every(([field, value]) => Reflect.get(said, field) === value);
}

function without(files: DefinitionFiles, path: string): DefinitionFiles {
  return new Map([...files].filter(([each]) => each !== path));
}
