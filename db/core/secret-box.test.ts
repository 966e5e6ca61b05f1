import { describe, expect, test } from '@jest/globals';
import { SecretBox, SecretColumn, UnreadableSecret } from './secret-box.ts';

const oldKey = 'the first key of this installation';
const newKey = 'the key that takes its place today';

describe('SecretBox', () => {
  test('opens what it sealed, for the same row', () => {
    const box = new SecretBox([newKey]);
    expect(box.open(box.seal('sk-secret', 'org/1'), 'org/1')).toBe('sk-secret');
  });

  test('seals the same secret differently each time', () => {
    const box = new SecretBox([newKey]);
    expect(box.seal('a', 'org/1')).not.toEqual(box.seal('a', 'org/1'));
  });

  test('does not open a ciphertext that was copied to another row', () => {
    const box = new SecretBox([newKey]);
    expect(() => box.open(box.seal('sk-secret', 'org/1'), 'org/2')).toThrow(UnreadableSecret);
  });

  test('does not open a ciphertext that was changed', () => {
    const box = new SecretBox([newKey]);
    const sealed = box.seal('sk-secret', 'org/1');
    sealed.writeUInt8(sealed.readUInt8(sealed.length - 1) ^ 1, sealed.length - 1);
    expect(() => box.open(sealed, 'org/1')).toThrow(UnreadableSecret);
    expect(() => box.open(sealed.subarray(0, 10), 'org/1')).toThrow(UnreadableSecret);
  });

  test('opens what an earlier key sealed, while that key is still given', () => {
    const sealed = new SecretBox([oldKey]).seal('sk-secret', 'org/1');
    const [both, onlyNew] = [new SecretBox([newKey, oldKey]), new SecretBox([newKey])];
    expect(both.open(sealed, 'org/1')).toBe('sk-secret');
    expect(() => onlyNew.open(sealed, 'org/1')).toThrow(UnreadableSecret);
    expect([both.holdsKeyOf(sealed), onlyNew.holdsKeyOf(sealed)]).toEqual([true, false]);
  });

  test('returns the ids of its keys, with which their ciphertexts begin', () => {
    const box = new SecretBox([newKey, oldKey]);
    const idOf = (sealed: Buffer) => sealed.subarray(0, 4).toString('hex');
    const sealedBefore = new SecretBox([oldKey]).seal('a', 'org/1');
    expect(box.keyIds).toEqual([idOf(box.seal('a', 'org/1')), idOf(sealedBefore)]);
  });
});

describe('SecretColumn', () => {
  const box = new SecretBox([newKey]);
  const row = { orgId: 'o', id: '1' };

  test.each([
    [new SecretColumn('things'), 'things/o/1'],
    [new SecretColumn('things', 'key'), 'things/o/1/key'],
  ])('seals for its row, and opens what was sealed for it before', (column, context) => {
    expect(column.open(box, row, column.seal(box, row, 'sk-secret'))).toBe('sk-secret');
    expect(column.open(box, row, box.seal('sk-secret', context))).toBe('sk-secret');
    expect(() => column.open(box, { ...row, orgId: 'other' }, box.seal('sk-secret', context))).toThrow();
  });
});
