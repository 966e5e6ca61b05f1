import { expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { editorIn } from '../../../test/support/console/opened-editor.tsx';
import { fieldsOfSchema, SchemaFields, type SchemaValues } from './schema-fields.tsx';

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

interface ShownProps {
  readonly changes: SchemaValues[];
  readonly schema?: unknown;
  readonly given?: SchemaValues;
}

function Shown({ changes, schema = SCHEMA, given = {} }: ShownProps) {
  const [values, setValues] = useState(given);
  return (
    <SchemaFields
      schema={schema}
      name="arguments"
      label="Arguments"
      values={values}
      onValuesChange={(next) => {
        changes.push(next);
        setValues(next);
      }}
    />
  );
}

test('shows what the description of a field has between backticks as code', () => {
  const described = { type: 'string', description: 'Such as `notes/plan.md`.' };
  const schema = {
    type: 'object',
    properties: { path: described, tags: { ...described, type: 'array', items: { type: 'string' } } },
  };
  const { container } = render(<Shown changes={[]} schema={schema} />);
  const code = [...container.querySelectorAll('code')].map(({ textContent }) => textContent);
  expect(code).toEqual(['notes/plan.md', 'notes/plan.md']);
  expect(container.textContent).not.toContain('`');
});

test('each field of a flat schema gets a value of its kind, and none where nothing is entered', async () => {
  const user = userEvent.setup();
  const changes: SchemaValues[] = [];
  render(<Shown changes={changes} />);
  expect(screen.getByText('Where it is⟨U+202E⟩.')).toBeDefined();
  await user.type(screen.getByLabelText('Address'), 'a');
  await user.type(screen.getByLabelText('tries'), '3');
  await user.click(screen.getByRole('checkbox', { name: 'loud' }));
  await user.click(screen.getByRole('combobox', { name: 'mode' }));
  await user.click(await screen.findByRole('option', { name: 'write' }));
  await user.type(screen.getByLabelText('tags'), 'one{Enter}two{Enter}');
  expect(changes.at(-1)).toEqual({ url: 'a', tries: 3, loud: true, mode: 'write', tags: ['one', 'two'] });
  await user.clear(screen.getByLabelText('tries'));
  await user.clear(screen.getByLabelText('tags'));
  expect(changes.at(-1)).toEqual({ url: 'a', loud: true, mode: 'write' });
});

test('a number is sent as it is typed, and what is none as a text', async () => {
  const user = userEvent.setup();
  const changes: SchemaValues[] = [];
  render(<Shown changes={changes} />);
  await user.type(screen.getByLabelText('id'), '-9007199254740993');
  await user.type(screen.getByLabelText('share'), '1.05');
  expect(screen.getByLabelText('id')).toHaveProperty('value', '-9007199254740993');
  expect(JSON.stringify(changes.at(-1))).toBe('{"id":-9007199254740993,"share":1.05}');
  await user.type(screen.getByLabelText('share'), '0');
  expect(JSON.stringify(changes.at(-1))).toBe('{"id":-9007199254740993,"share":1.050}');
  await user.type(screen.getByLabelText('share'), 'x');
  expect(changes.at(-1)).toMatchObject({ share: '1.050x' });
  await user.clear(screen.getByLabelText('share'));
  expect(JSON.stringify(changes.at(-1))).toBe('{"id":-9007199254740993}');
});

test.each([
  ['a text with carriage returns', 'url', 'a\r\nb'],
  ['a text where it is a number', 'url', 7],
  ['a number where it is a text', 'tries', '7'],
  ['a boolean where it is a text', 'loud', 'true'],
  ['an option that is none', 'mode', 'append'],
  ['an entry of several lines', 'tags', ['one', 'two\nthree']],
  ['a blank entry', 'tags', ['one', ' ']],
  ['an entry that is no text', 'tags', ['one', 2]],
])('%s is edited as JSON, and kept with the other fields', async (_what, name, value) => {
  const user = userEvent.setup();
  const changes: SchemaValues[] = [];
  const { container } = render(<Shown changes={changes} given={{ [name]: value }} />);
  const editor = await editorIn(container);
  expect(JSON.parse(editor.state.doc.toString())).toEqual(value);
  await user.type(screen.getByLabelText('id'), '1');
  expect(changes.at(-1)).toEqual({ [name]: value, id: 1 });
});

test('values without a field are edited as JSON with all others', async () => {
  const given = { url: 'a', token: '***' };
  const { container } = render(<Shown changes={[]} given={given} />);
  expect(JSON.parse((await editorIn(container)).state.doc.toString())).toEqual(given);
  expect(screen.queryByLabelText('Address')).toBe(null);
});

test('a text has one line only if its schema bounds its length or says its format', () => {
  const property = (more: object) => ({ type: 'string', ...more });
  const properties = {
    content: property({}),
    long: property({ maxLength: 301 }),
    short: property({ maxLength: 300 }),
    address: property({ format: 'uri' }),
    notes: property({ maxLength: 100, format: 'multiline' }),
  };
  render(<Shown changes={[]} schema={{ properties }} />);
  const tags = Object.keys(properties).map((name) => [name, screen.getByLabelText(name).tagName]);
  expect(Object.fromEntries(tags)).toEqual({
    content: 'TEXTAREA',
    long: 'TEXTAREA',
    short: 'INPUT',
    address: 'INPUT',
    notes: 'TEXTAREA',
  });
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
