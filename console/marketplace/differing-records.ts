import type { Differences } from './queries.ts';

type File = Differences['files'][number];

/** A record of the organization that differs from that of an item. */
interface DifferingRecord {
  readonly kind: File['kind'];
  readonly key: string;
  /** Whether it only has the name, and was not installed from the item. */
  readonly isForeign: boolean;
  /** None of one that is too large to be compared. */
  readonly files: readonly File[];
}

/** Returns the records that differ, each with its files, in the order in which they were compared. */
export function differingRecords({ files, uncompared }: Differences): readonly DifferingRecord[] {
  const byRecord = new Map<string, File[]>();
  for (const file of files) {
    const id = `${file.kind} ${file.key}`;
    byRecord.set(id, [...(byRecord.get(id) ?? []), file]);
  }
  const compared = [...byRecord.values()].flatMap((own): DifferingRecord[] => {
    const [first] = own;
    return first === undefined ? [] : [{ kind: first.kind, key: first.key, isForeign: first.is_foreign, files: own }];
  });
  return [...compared, ...uncompared.map(({ kind, key }) => ({ kind, key, isForeign: false, files: [] }))];
}
