import { expect, test } from '@jest/globals';
import { faultOf, type JsonForm, plainJson, writtenOf } from './json-form.ts';

interface Robot {
  readonly name: string;
  readonly speed: number | null;
  readonly steps: readonly { readonly key: string; readonly act: string }[];
  readonly secret: string;
}

const ROBOT: Robot = { name: 'Ada', speed: null, steps: [{ key: '0', act: 'saw' }], secret: 'hidden' };
const JSON_OF: JsonForm<Robot> = {
  write: ({ name, speed, steps }) => ({ name, speed, steps: steps.map(({ act }) => ({ act })) }),
  read: ({ name, speed, steps }: { name: string; speed: number | null; steps: { act: string }[] }) => ({
    name,
    speed,
    steps: steps.map(({ act }, at) => ({ key: String(at), act })),
  }),
};

const WORDS = {
  noObject: 'no object',
  unknown: (name: string) => `unknown ${name}`,
  missing: (name: string) => `missing ${name}`,
  wrongKind: (name: string) => `wrong ${name}`,
  unfit: 'unfit',
};
const faultIn = (value: unknown) => faultOf({ json: JSON_OF, stored: ROBOT, text: WORDS }, value);

test('JSON of a record fits whatever the order of its names is', () => {
  expect(faultIn({ steps: [{ act: 'drill' }], speed: 3, name: 'Grace' })).toBe(undefined);
});

test.each([
  [[], 'no object'],
  [{ name: 'Ada', speed: 1, steps: [], colour: 'red' }, 'unknown colour'],
  [{ name: 'Ada', steps: [] }, 'missing speed'],
  [{ name: 1, speed: 1, steps: [] }, 'wrong name'],
  [{ name: 'Ada', speed: 1, steps: {} }, 'wrong steps'],
  [{ name: 'Ada', speed: 1, steps: [null] }, 'unfit'],
  [{ name: 'Ada', speed: 1, steps: [{ act: 'saw', by: 'hand' }] }, 'unfit'],
])('of %j it says: %s', (value, fault) => {
  expect(faultIn(value)).toBe(fault);
});

test('a secret is in no JSON, and is kept when JSON is read', () => {
  const plain = plainJson<Robot>('secret');
  const written = plain.write(ROBOT);
  expect(JSON.stringify(written)).not.toContain('hidden');
  expect(writtenOf(plain, ROBOT, { ...written, name: 'Grace' })).toEqual({ ...written, name: 'Grace' });
  expect({ ...ROBOT, ...plain.read(written as never) }).toEqual(ROBOT);
});
