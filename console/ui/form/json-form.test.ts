import { expect, test } from '@jest/globals';
import { parseExactJson } from '../../../domain/core/exact-json.ts';
import { type JsonForm, faultOf, plainJson, readBody, writtenOf } from './use-record.ts';

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
  const plain = plainJson<Robot>({ secrets: ['secret'] });
  const written = plain.write(ROBOT);
  expect(JSON.stringify(written)).not.toContain('hidden');
  expect(writtenOf(plain, ROBOT, { ...written, name: 'Grace' })).toEqual({ ...written, name: 'Grace' });
  expect({ ...ROBOT, ...plain.read(written as never) }).toEqual(ROBOT);
});

interface Machine {
  readonly speed: number | null;
  readonly weight: number;
  readonly parts: readonly { readonly size: number }[];
  readonly notes: Readonly<Record<string, unknown>>;
}

test('numbers are numbers however they are typed, and stay as they are typed where values are of any kind', () => {
  const stored: Machine = { speed: null, weight: 2.5, parts: [], notes: {} };
  const json = plainJson<Machine>({ free: ['notes'] });
  const typed = '{"speed":10.0,"weight":0.70,"parts":[{"size":1e3}],"notes":{"id":1234567890123456789,"share":1.0}}';
  const body = parseExactJson(typed) as object;
  expect(faultOf({ json, stored, text: WORDS }, body)).toBe(undefined);
  const { notes, ...values } = readBody(json, body);
  expect(values).toEqual({ speed: 10, weight: 0.7, parts: [{ size: 1000 }] });
  expect(JSON.stringify(notes)).toBe('{"id":1234567890123456789,"share":1.0}');
  expect(writtenOf(json, stored, body)).toMatchObject(values);
});

test.each(['{"speed":1.0,"weight":{},"parts":[],"notes":{}}', '{"speed":1,"weight":1,"parts":[],"notes":1.0}'])(
  'a number is no object, and an object no number: %s',
  (typed) => {
    const stored: Machine = { speed: null, weight: 2.5, parts: [], notes: {} };
    const json = plainJson<Machine>({ free: ['notes'] });
    expect(faultOf({ json, stored, text: WORDS }, parseExactJson(typed))).toMatch(/^wrong/);
  },
);

test('a number alone is no record', () => {
  expect(faultIn(parseExactJson('1.0'))).toBe('no object');
});
