import { isObject } from '../../../domain/core/objects/is-object.ts';
import { DEFINITION_KEY } from '../../../domain/definitions/key.ts';
import { SKILL_FILE, splitFrontMatter } from '../../../domain/definitions/skill-file.ts';
import type { Family } from '../families.ts';
import type { Archive } from './read-archive.ts';

/** The files of records, which say their keys. */
const RECORD_FILES = { skills: 'skill.json', personas: 'persona.json', tools: 'tool.json' } as const;

/** The name in the front matter of a SKILL.md, which is its key where nothing else says one. */
const NAME = /^name:[ \t]+(?<quote>["']?)(?<name>[a-z0-9_-]{1,64})\k<quote>[ \t\r]*$/m;

/**
 * Returns the key that an archive says, where the server looks for it: its folder, else its files. Undefined where it
 * says none, or not in a way that is read here.
 */
export function keyIn({ folder, files }: Archive, family: Pick<Family, 'key'>): string | undefined {
  const key = folder ?? keyInFiles(files, family.key);
  return key !== undefined && DEFINITION_KEY.test(key) ? key : undefined;
}

function keyInFiles(files: Archive['files'], family: Family['key']): string | undefined {
  const record = files.get(RECORD_FILES[family]);
  if (record !== undefined) return keyInJson(record);
  if (family !== 'skills') return undefined;
  return NAME.exec(splitFrontMatter(files.get(SKILL_FILE) ?? '')?.fields ?? '')?.groups?.['name'];
}

function keyInJson(text: string): string | undefined {
  try {
    const record: unknown = JSON.parse(text);
    return isObject(record) && typeof record['key'] === 'string' ? record['key'] : undefined;
  } catch {
    // The server says what is wrong with it.
    return undefined;
  }
}
