import { afterEach, expect, jest, test } from '@jest/globals';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { SearchField } from './search-field.tsx';

afterEach(() => void jest.useRealTimers());

/** Opens a field whose value follows only when it is said, as an address that is still being changed. */
function openField(begin: string) {
  const changes: string[] = [];
  const address: { change: (value: string) => void } = { change: () => undefined };
  function Page() {
    const [value, setValue] = useState(begin);
    address.change = setValue;
    return <SearchField label="Find" value={value} onChange={(words) => changes.push(words)} />;
  }
  render(<Page />);
  const input = screen.getByLabelText<HTMLInputElement>('Find');
  return { changes, input, follow: (value: string) => act(() => address.change(value)), user: userEvent.setup() };
}

test('what is typed within a word stays where it was typed, and is told once after a pause', async () => {
  const { changes, input, user } = openField('bord');
  await user.type(input, 'aa', { initialSelectionStart: 2, initialSelectionEnd: 2 });
  expect(input.value).toBe('boaard');
  expect(input.selectionStart).toBe(4);
  await waitFor(() => expect(changes).toEqual(['boaard']));
});

test('what narrows a list that is there is told with each letter', async () => {
  const changes: string[] = [];
  render(<SearchField label="Find" value="" isInstant onChange={(words) => changes.push(words)} />);
  await userEvent.type(screen.getByLabelText('Find'), 'ab');
  expect(changes).toEqual(['a', 'ab']);
});

test('Enter and leaving the field tell at once', async () => {
  const { changes, input, user } = openField('');
  await user.type(input, 'one{Enter}');
  expect(changes).toEqual(['one']);
  await user.type(input, ' two');
  await user.tab();
  expect(changes).toEqual(['one', 'one two']);
});

test('the field follows the address on the way back, and not its own words that come back late', () => {
  jest.useFakeTimers();
  const { changes, input, follow } = openField('old');
  fireEvent.change(input, { target: { value: 'new ' } });
  fireEvent.keyDown(input, { key: 'Enter' });
  fireEvent.change(input, { target: { value: 'new one' } });
  follow('new');
  expect(input.value).toBe('new one');
  follow('old');
  expect(input.value).toBe('old');
  act(() => jest.advanceTimersByTime(300));
  expect(changes).toEqual(['new ']);
});
