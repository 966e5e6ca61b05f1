import { expect, test } from '@jest/globals';
import { DeliveryPlaces } from './delivery-places.ts';

test('an organization has ten places, and others have theirs until all hundred are taken', () => {
  const places = new DeliveryPlaces();
  const taken = (orgId: string, times: number) =>
    Array.from({ length: times }, () => places.take(orgId)).filter(Boolean).length;
  expect(taken('busy', 20)).toBe(10);
  places.release('busy');
  expect(taken('busy', 2)).toBe(1);
  const others = Array.from({ length: 10 }, (_, index) => taken(`org ${index}`, 10));
  expect(others).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 0]);
  places.release('busy');
  expect(taken('org 9', 2)).toBe(1);
});
