import type { DefinitionContent, DefinitionFiles, DefinitionKind } from '../../domain/definitions/index.ts';
import { checkFiles, checkSize } from '../check-files.ts';
import type { FolderNames, ReadOptions } from './key-of.ts';
import { readPersonaFolder, writePersonaFolder } from './persona-folder.ts';
import { readSkillFolder, writeSkillFolder } from './skill-folder.ts';
import { readToolFolder, writeToolFolder } from './tool-folder.ts';

interface Format {
  readonly read: (names: FolderNames, files: DefinitionFiles, options: ReadOptions) => DefinitionContent;
  readonly write: (content: DefinitionContent) => Map<string, string>;
}

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
