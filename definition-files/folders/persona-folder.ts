import type { DefinitionContent, DefinitionFiles } from '../../domain/definitions/index.ts';
import { faultOf } from '../definition-fault.ts';
import { PERSONA_FILE, PROMPT_FILE, readPersonaFiles, writePersonaFiles } from '../persona-file.ts';
import { type FolderNames, keyOf } from './key-of.ts';

/** Reads the folder of a persona. */
export function readPersonaFolder(names: FolderNames, files: DefinitionFiles): DefinitionContent {
  const fields = files.get(PERSONA_FILE);
  if (fields === undefined) throw faultOf('', `has no ${PERSONA_FILE}`);
  const other = [...files.keys()].find((path) => path !== PERSONA_FILE && path !== PROMPT_FILE);
  if (other !== undefined)
    throw faultOf(other, `is neither ${PERSONA_FILE} nor ${PROMPT_FILE}, of which a persona is made`);
  const { said, persona } = readPersonaFiles(fields, files.get(PROMPT_FILE));
  return { ...said, key: keyOf(names, said.key, PERSONA_FILE), files: new Map(), persona };
}

/** Writes the folder of a persona. */
export function writePersonaFolder({ persona, ...record }: DefinitionContent): Map<string, string> {
  if (persona === null) throw new Error('a persona has the fields of one');
  return new Map(writePersonaFiles(record, persona));
}
