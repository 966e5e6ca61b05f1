import { createTwoFilesPatch } from 'diff';
import { writeAgentFiles, writeDefinitionFolder } from '../../builtin/index.ts';
import type { EditedRecord } from '../../db/marketplace/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { DefinitionKind } from '../../domain/definitions/index.ts';

/** Characters of all differences that are shown. */
const MAX_CHARACTERS = 50_000;
/** Files with more changes are named only. */
const LIMITS = { context: 2, maxEditLength: 2_000, timeout: 200 };

/** Makes the answer to an installation that would lose edits: what was edited, and how it differs from the item. */
export function editedConflict(records: readonly EditedRecord[], version: string): AppError {
  const foreign = records.filter(({ isForeign }) => isForeign);
  const named = (list: readonly EditedRecord[]) => list.map(({ kind, key }) => `${kind} "${key}"`).join(', ');
  const edited = records.filter(({ isForeign }) => !isForeign);
  const reasons = [
    ...(edited.length > 0 ? [`Edited since they were installed: ${named(edited)}.`] : []),
    ...(foreign.length > 0 ? [`There are others with these keys, which stay in any case: ${named(foreign)}.`] : []),
  ];
  const advice =
    foreign.length > 0
      ? 'Install with edited=keep to leave them as they are.'
      : 'Install with edited=keep to leave them as they are, or edited=replace to lose the edits.';
  const differences = records.map((record) => differenceOf(record, version)).join('\n');
  const words = `Nothing was installed. ${reasons.join(' ')} ${advice} Differences from version ${version}:`;
  return new AppError('conflict', `${words}\n\n${differences.slice(0, MAX_CHARACTERS)}`);
}

function differenceOf({ kind, key, current, wanted }: EditedRecord, version: string): string {
  const [before, after] = [filesOf(kind, current), filesOf(kind, wanted)];
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths
    .flatMap((path) => {
      const [mine, theirs] = [before.get(path) ?? '', after.get(path) ?? ''];
      if (mine === theirs) return [];
      const name = `${kind}s/${key}/${path}`;
      return [
        createTwoFilesPatch(name, name, mine, theirs, 'yours', version, LIMITS) ?? `${name} differs in many places\n`,
      ];
    })
    .join('\n');
}

function filesOf(kind: EditedRecord['kind'], state: EditedRecord['current']): ReadonlyMap<string, string> {
  if ('agent' in state) return writeAgentFiles(state.agent);
  return writeDefinitionFolder(kind as DefinitionKind, state.definition);
}
