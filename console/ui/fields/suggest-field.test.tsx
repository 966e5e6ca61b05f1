import { expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { SuggestField } from './fields.tsx';

function openField(suggestions: readonly string[]) {
  function Page() {
    const [value, setValue] = useState('');
    return <SuggestField label="Model" name="model" suggestions={suggestions} value={value} onValueChange={setValue} />;
  }
  render(<Page />);
  return { input: screen.getByLabelText<HTMLInputElement>('Model'), user: userEvent.setup() };
}

test('suggestions that hold what is typed are offered, and one of them is taken', async () => {
  const { input, user } = openField(['large-1', 'small-1']);
  await user.type(input, 'sma');
  await user.click(await screen.findByRole('option', { name: 'small-1' }));
  expect(input.value).toBe('small-1');
});

test('no list is opened where nothing would be in it, and Escape keeps what was typed', async () => {
  const { input, user } = openField(['large-1']);
  await user.type(input, 'other');
  expect(screen.queryByRole('listbox')).toBe(null);
  await user.keyboard('{Escape}');
  expect(input.value).toBe('other');
});
