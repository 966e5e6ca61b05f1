import { Buffer } from 'node:buffer';
import { isStorableText } from '../domain/core/text.ts';
import type { DefinitionFiles, DefinitionKind } from '../domain/definitions/definition.ts';
import {
  findPathClash,
  MAX_DEFINITION_BYTES,
  MAX_FILE_BYTES,
  MAX_FILES,
  pathIssue,
  SKILL_FILE,
} from '../domain/definitions/files.ts';
import { DefinitionFault, faultOf, type FileIssue } from './definition-fault.ts';
import { saidBySkillFile } from './skill-file.ts';
import { checkRequestFile, readToolFile, REQUEST_FILE, TOOL_FILE } from './tool-files/tool-file.ts';

const MAX_ISSUES = 10;

/** The file of an export with the fields of the record that SKILL.md lacks. */
export const SKILL_RECORD_FILE = 'skill.json';

/** Checks a file of a tool or skill by itself; throws what is wrong with it. */
export function checkDefinitionFile(kind: DefinitionKind, path: string, text: string): void {
  const issue = pathIssue(path) ?? textIssue(text);
  if (issue !== undefined) throw faultOf(path, issue);
  if (kind === 'tool' && path === TOOL_FILE) readToolFile(text);
  if (kind === 'tool' && path === REQUEST_FILE) checkRequestFile(text);
  if (kind === 'skill' && path === SKILL_FILE) saidBySkillFile(text);
  if (kind === 'skill' && path === SKILL_RECORD_FILE)
    throw faultOf(path, 'is made by exports from the fields of the skill: change those instead');
}

function textIssue(text: string): string | undefined {
  if (!isStorableText(text)) return 'must be text without NUL and half characters';
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) return `must not exceed ${MAX_FILE_BYTES / 1024} KB`;
  return undefined;
}

/** Checks that files are text under paths that can lie beside each other; throws what is wrong with them. */
export function checkFiles(files: DefinitionFiles): void {
  const issues = [...files].flatMap(([path, text]): FileIssue[] => {
    const msg = pathIssue(path) ?? textIssue(text);
    return msg === undefined ? [] : [{ path, msg }];
  });
  if (issues.length > 0) throw new DefinitionFault(issues.slice(0, MAX_ISSUES));
  const clash = findPathClash(files.keys());
  if (clash !== undefined) throw faultOf(clash.path, `cannot lie beside ${clash.other}`);
}

/** Checks that a definition has no more files than one may have; throws what is wrong with it. */
export function checkSize(files: DefinitionFiles): void {
  if (files.size > MAX_FILES) throw faultOf('', `must not have more than ${MAX_FILES} files`);
  let bytes = 0;
  for (const text of files.values()) bytes += Buffer.byteLength(text);
  if (bytes > MAX_DEFINITION_BYTES) throw faultOf('', `must not exceed ${MAX_DEFINITION_BYTES / 1024 ** 2} MB in all`);
}
