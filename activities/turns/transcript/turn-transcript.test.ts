import { setImmediate as settle } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { TurnMemory } from './turn-transcript.ts';

const never = new AbortController().signal;

/** A heap of which all turns get 100 MB together, and each payer 25 MB. */
const HEAP_BYTES = 300_000_000;

interface Asked {
  readonly unfinishedReads?: number;
  readonly bytesOfFiles?: number;
}

/** Takes room for conversations of that many bytes, and notes whose have got it, in order. */
function recording() {
  const memory = new TurnMemory(HEAP_BYTES);
  const begun: string[] = [];
  const take = async (ownerId: string, bytes: number, { unfinishedReads = 0, bytesOfFiles = 0 }: Asked = {}) => {
    // A claim gives an outline of long ones.
    const history = { turns: [], firstIndex: 0, bytes, isOutline: bytes > 64_000 };
    const payer = { ownerId, orgId: `organization of ${ownerId}` };
    const permit = await memory.take({ history, unfinishedReads }, { payer, bytesOfFiles }, never);
    begun.push(ownerId);
    return permit;
  };
  return { begun, take };
}

describe('the memory of turns', () => {
  test('goes to the long conversations of one payer up to their share, and to the next when one is sent', async () => {
    const { begun, take } = recording();
    const long = Array.from({ length: 3 }, async () => take('a', 1_500_000));
    const other = take('b', 1_500_000);
    await settle();
    expect(begun).toEqual(['a', 'a', 'b']);
    (await long[0])?.reduceTo(1_500_000);
    await settle();
    expect(begun).toEqual(['a', 'a', 'b']);
    (await long[0])?.reduceTo(0);
    await Promise.all([...long, other]);
    expect(begun).toEqual(['a', 'a', 'b', 'a']);
  });

  test('is not waited for by short conversations, however much others take', async () => {
    const { begun, take } = recording();
    for (const user of ['a', 'b', 'c', 'd', 'e']) void take(user, 3_000_000);
    void take('f', 60_000);
    await settle();
    expect(begun.toSorted()).toEqual(['a', 'b', 'c', 'd', 'f']);
  });

  test('counts the files of a short conversation', async () => {
    const { begun, take } = recording();
    void take('a', 3_000_000);
    void take('a', 100, { bytesOfFiles: 10_000_000 });
    void take('a', 100, { bytesOfFiles: 10_000 });
    await settle();
    expect(begun).toEqual(['a', 'a']);
  });

  test('goes to one conversation at a time of those that were being read when a process ended', async () => {
    const { begun, take } = recording();
    const suspects = ['a', 'b'].map(async (user) => take(user, 100_000, { unfinishedReads: 1 }));
    void take('c', 100_000);
    await settle();
    expect(begun).toEqual(['a', 'c']);
    (await suspects[0])?.reduceTo(0);
    await Promise.all(suspects);
    expect(begun).toEqual(['a', 'c', 'b']);
  });
});
