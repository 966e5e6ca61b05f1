import type { DefinitionContent } from '../../domain/definitions/index.ts';
import type { ItemAgent, ItemDefinition } from '../../domain/marketplace/index.ts';

/** What a record holds. */
export type RecordState = { readonly agent: ItemAgent } | { readonly definition: DefinitionContent };

/** A record that cannot become what the item holds without losing what somebody has made of it. */
export interface EditedRecord {
  readonly key: string;
  readonly kind: 'agent' | ItemDefinition['kind'];
  /** As it is, and as the item holds it; undefined when those before it are as much as can be compared. */
  readonly states: { readonly current: RecordState; readonly wanted: RecordState } | undefined;
  /** Whether it was not installed from this item: another record has its key. */
  readonly isForeign: boolean;
}

/** Records of an item have been edited since it was installed, or their keys are taken. Nothing has been changed. */
export class ItemWasEdited extends Error {
  override readonly name = 'ItemWasEdited';
  readonly records: readonly EditedRecord[];

  constructor(records: readonly EditedRecord[]) {
    super('records of the item were edited');
    this.records = records;
  }
}

/** The texts of edited records that are held for a comparison, in characters. */
const MAX_COMPARED = 4_000_000;

/** Edited records of an item, of which as many are held with their texts as can be compared. */
export class EditedRecords<T extends EditedRecord = EditedRecord> {
  readonly all: T[] = [];
  #size = 0;

  add(record: T): void {
    if (record.states !== undefined) this.#size += sizeOf(record.states.current) + sizeOf(record.states.wanted);
    this.all.push(this.#size > MAX_COMPARED ? { ...record, states: undefined } : record);
  }
}

function sizeOf(state: RecordState): number {
  if ('agent' in state) return state.agent.systemPrompt.length;
  const { files, persona } = state.definition;
  return [...files.values()].reduce((sum, text) => sum + text.length, persona?.systemPrompt.length ?? 0);
}
