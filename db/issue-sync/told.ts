import { v7 as uuidv7 } from 'uuid';

/** What a host tells of a thing, at some time. */
interface Told {
  /** The id of the thing at the host. */
  readonly externalId: string;
  readonly updatedAt: Date;
}

/** Returns the last of what was told of each thing. */
export function newestOf<T extends Told>(told: readonly T[]): readonly T[] {
  const newest = new Map<string, T>();
  for (const each of told) {
    const other = newest.get(each.externalId);
    if (other === undefined || other.updatedAt <= each.updatedAt) newest.set(each.externalId, each);
  }
  return [...newest.values()];
}

/** Makes an id that sorts where the thing was added at its host, so that lists have all in the order of their age. */
export function idAt(createdAt: Date): string {
  return uuidv7({ msecs: Math.min(Math.max(createdAt.getTime(), 0), Date.now()) });
}
