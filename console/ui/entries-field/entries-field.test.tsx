import { expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { parseJson } from '../../core/http/api-client.ts';
import { SaveBlocks, useSaveBlocks } from '../form/save-blocks.ts';
import { Entries } from '../page/entries.tsx';
import { EntriesField } from './entries-field.tsx';

type Traits = Readonly<Record<string, unknown>>;

/** Shows traits in a form, and returns the objects that the field has told. */
function showTraits(stored: Traits): readonly Traits[] {
  const changes: Traits[] = [];
  function Edited() {
    const blocks = useSaveBlocks();
    const [value, setValue] = useState(stored);
    return (
      <SaveBlocks value={blocks.form}>
        <EntriesField
          label="Soul"
          name="soul"
          value={value}
          onValueChange={(next) => {
            changes.push(next);
            setValue(next);
          }}
        />
        <p>Blocked: {blocks.reason}</p>
        <button type="button" onClick={blocks.discard}>
          Discard
        </button>
      </SaveBlocks>
    );
  }
  render(<Edited />);
  return changes;
}

const user = userEvent.setup();
const field = (name: string) => screen.getByRole('textbox', { name });
const nameFields = () => screen.getAllByRole('textbox', { name: 'Soul: name' });

async function type(control: HTMLElement, words: string): Promise<void> {
  await user.clear(control);
  await user.type(control, words);
}

test('an object is edited as rows of names and values, and no braces are shown', async () => {
  const changes = showTraits({ tone: 'dry' });
  await type(field('Value of tone'), 'warm');
  expect(changes.at(-1)).toEqual({ tone: 'warm' });
  await user.click(screen.getByRole('button', { name: 'Add to Soul' }));
  expect(document.activeElement).toBe(nameFields()[1]);
  await user.keyboard('humour');
  await type(field('Value of humour'), 'none');
  expect(changes.at(-1)).toEqual({ tone: 'warm', humour: 'none' });
  await user.click(screen.getByRole('button', { name: 'Remove tone' }));
  expect(changes.at(-1)).toEqual({ humour: 'none' });
});

test('values that are no text keep their kind', async () => {
  const changes = showTraits(
    parseJson(
      '{ "values": ["harm", "taste"], "style": { "humour": "dry" }, "age": 1.0, "steps": [{ "a": 1 }] }',
    ) as Traits,
  );
  await user.type(field('Value of values'), '{Enter}respect');
  await type(field('Value of humour'), 'none');
  expect(JSON.stringify(changes.at(-1))).toBe(
    '{"values":["harm","taste","respect"],"style":{"humour":"none"},"age":1.0,"steps":[{"a":1}]}',
  );
  await type(field('Value of age'), '2');
  expect(changes.at(-1)).toMatchObject({ age: 2 });
});

test.each([
  ['no name', '', 'Soul: Each value needs a name.'],
  ['the name of another', 'tone', 'Soul: “tone” is there twice.'],
])('a row with %s keeps the form from being saved until it is mended or discarded', async (_what, name, reason) => {
  const changes = showTraits({ tone: 'dry', humour: 'none' });
  const [, second] = nameFields();
  if (second === undefined) throw new Error('there are two rows');
  await user.clear(second);
  if (name !== '') await user.type(second, name);
  screen.getByText(`Blocked: ${reason}`);
  expect(changes.filter((each) => Object.keys(each).length < 2)).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Discard' }));
  screen.getByText('Blocked:');
  expect(nameFields()).toHaveLength(2);
  expect(screen.queryByText(reason)).toBe(null);
});

test('a value that was written as JSON has to stay JSON', async () => {
  const changes = showTraits({ age: 1 });
  await type(field('Value of age'), '1,');
  screen.getByText('Blocked: Soul: The value of “age” is not valid JSON.');
  expect(changes.every(({ age }) => age === 1)).toBe(true);
});

test('an object is shown by its names, also within another', () => {
  render(<Entries entries={{ tone: 'dry', values: ['harm', 'taste'], style: { humour: 'none' }, age: 1 }} />);
  const terms = screen.getAllByRole('term').map(({ textContent }) => textContent);
  expect(terms).toEqual(['tone', 'values', 'style', 'humour', 'age']);
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['harm', 'taste']);
  expect(screen.queryByText(/[{}[\]]/)).toBe(null);
});
