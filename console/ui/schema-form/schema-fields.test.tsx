import { expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { fieldsOfSchema, type SchemaValues } from './flat-schema.ts';
import { SchemaFields } from './schema-fields.tsx';

const SCHEMA = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', title: 'Address', description: 'Where it is\u202E.' },
    tries: { type: 'integer', minimum: 1, maximum: 5 },
    id: { type: 'integer' },
    share: { type: 'number' },
    loud: { type: 'boolean' },
    mode: { enum: ['read', 'write'] },
    tags: { type: 'array', items: { type: 'string' } },
  },
};

function Shown({ told }: { readonly told: SchemaValues[] }) {
  const [values, setValues] = useState<SchemaValues>({});
  return (
    <SchemaFields
      schema={SCHEMA}
      name="arguments"
      label="Arguments"
      values={values}
      onValuesChange={(next) => {
        told.push(next);
        setValues(next);
      }}
    />
  );
}

test('each field of a flat schema gets a value of its kind, and none where nothing is entered', async () => {
  const user = userEvent.setup();
  const told: SchemaValues[] = [];
  render(<Shown told={told} />);
  expect(screen.getByText('Where it is⟨U+202E⟩.')).toBeDefined();
  await user.type(screen.getByLabelText('Address'), 'a');
  await user.type(screen.getByLabelText('tries'), '3');
  await user.click(screen.getByRole('checkbox', { name: 'loud' }));
  await user.click(screen.getByRole('combobox', { name: 'mode' }));
  await user.click(await screen.findByRole('option', { name: 'write' }));
  await user.type(screen.getByLabelText('tags'), 'one{Enter}two{Enter}');
  expect(told.at(-1)).toEqual({ url: 'a', tries: 3, loud: true, mode: 'write', tags: ['one', 'two'] });
  await user.clear(screen.getByLabelText('tries'));
  await user.clear(screen.getByLabelText('tags'));
  expect(told.at(-1)).toEqual({ url: 'a', loud: true, mode: 'write' });
});

test('a number is sent as it is typed, and what is none as a text', async () => {
  const user = userEvent.setup();
  const told: SchemaValues[] = [];
  render(<Shown told={told} />);
  await user.type(screen.getByLabelText('id'), '-9007199254740993');
  await user.type(screen.getByLabelText('share'), '1.05');
  expect(screen.getByLabelText('id')).toHaveProperty('value', '-9007199254740993');
  expect(JSON.stringify(told.at(-1))).toBe('{"id":-9007199254740993,"share":1.05}');
  await user.type(screen.getByLabelText('share'), '0');
  expect(JSON.stringify(told.at(-1))).toBe('{"id":-9007199254740993,"share":1.050}');
  await user.type(screen.getByLabelText('share'), 'x');
  expect(told.at(-1)).toMatchObject({ share: '1.050x' });
  await user.clear(screen.getByLabelText('share'));
  expect(JSON.stringify(told.at(-1))).toBe('{"id":-9007199254740993}');
});

test.each([
  ['an object', { type: 'object' }],
  ['several types', { type: ['string', 'null'] }],
  ['a reference', { $ref: '#/x' }],
  ['a list of numbers', { type: 'array', items: { type: 'number' } }],
  ['nonsense', 7],
])('%s is edited as JSON', (_name, property) => {
  expect(fieldsOfSchema({ properties: { a: property } })).toMatchObject([{ name: 'a', kind: 'json' }]);
});

test.each([null, 'x', [], {}, { properties: [] }])('%j describes no fields', (schema) => {
  expect(fieldsOfSchema(schema)).toBe(undefined);
});
