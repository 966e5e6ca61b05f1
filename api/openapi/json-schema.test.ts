import { expect, test } from '@jest/globals';
import { Components } from './json-schema.ts';

test('a part of the document is made once, however many operations refer to it', () => {
  const responses = new Components('responses');
  let made = 0;
  const make = () => ({ description: 'Conflicts with the current state', made: (made += 1) });
  const references = Array.from({ length: 3 }, () => responses.addOnce('Conflict', make));
  expect(new Set(references.map((reference) => reference['$ref']))).toEqual(
    new Set(['#/components/responses/Conflict']),
  );
  expect(responses.toJson()).toEqual({ Conflict: { description: 'Conflicts with the current state', made: 1 } });
});
