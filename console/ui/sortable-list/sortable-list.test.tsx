import { expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { SortableList } from './sortable-list.tsx';

function Steps() {
  const [rows, setRows] = useState<readonly string[]>(['one', 'two', 'three']);
  return (
    <SortableList label="Steps" rows={rows} keyOf={(row) => row} nameOf={(row) => row} onOrderChange={setRows}>
      {(row) => row}
    </SortableList>
  );
}

const order = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent);

test('a row is moved by Alt and an arrow key, keeps the focus, and the move is read out', async () => {
  const user = userEvent.setup();
  render(<Steps />);
  screen.getByRole('button', { name: 'Move one' }).focus();
  await user.keyboard('{Alt>}{ArrowUp}{ArrowDown}{/Alt}');
  expect(order()).toEqual(['two', 'one', 'three']);
  expect(screen.getByText('one is now number 2 of 3.')).toBeDefined();
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Move one');
});

test('the menu of a row offers only the moves that lead somewhere', async () => {
  const user = userEvent.setup();
  render(<Steps />);
  await user.click(screen.getByRole('button', { name: 'Move one' }));
  const items = await screen.findAllByRole('menuitem');
  expect(items.map(({ textContent }) => textContent)).toEqual(['Move down', 'Move to the end']);
  await user.click(screen.getByRole('menuitem', { name: 'Move to the end' }));
  expect(order()).toEqual(['two', 'three', 'one']);
});
