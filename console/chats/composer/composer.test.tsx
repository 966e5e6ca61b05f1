import { afterEach, expect, jest, test } from '@jest/globals';
import { render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { Composer } from './composer.tsx';

type Given = Partial<ComponentProps<typeof Composer>>;

const sending = jest.fn<() => void>();
afterEach(() => {
  sending.mockReset();
});

function Written(given: Given): ReactNode {
  const [text, setText] = useState('');
  return <Composer text={text} onText={setText} onSend={sending} placeholder="" isFirst={false} {...given} />;
}

async function open(given: Given) {
  const user = userEvent.setup();
  render(<Written {...given} />);
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
  await user.click(field);
  return { user, field };
}

test('the arrow keys bring back what was sent, the newest first, and lead back to nothing', async () => {
  const { user, field } = await open({ sent: ['third', 'two\nlines', 'first'] });
  const after = async (keys: string) => {
    await user.keyboard(keys);
    return field.value;
  };
  expect(await after('{ArrowUp}')).toBe('third');
  expect(await after('{ArrowUp}')).toBe('two\nlines');
  expect(await after('{ArrowUp}{ArrowUp}')).toBe('first');
  expect(await after('{ArrowDown}{ArrowDown}')).toBe('third');
  expect(await after('{ArrowDown}')).toBe('');
});

test('what was changed, and what is typed, is kept from the arrow keys', async () => {
  const { user, field } = await open({ sent: ['sent'] });
  await user.keyboard('{ArrowUp}');
  await user.type(field, ' again');
  await user.keyboard('{ArrowUp}{ArrowDown}');
  expect(field.value).toBe('sent again');
});

test('a queued message is changed before what was sent comes back', async () => {
  const change = jest.fn<() => void>();
  const { user, field } = await open({ sent: ['sent'], onEditQueued: change });
  await user.keyboard('{ArrowUp}');
  expect([change.mock.calls.length, field.value]).toEqual([1, '']);
});

const MENTIONS = [
  { name: 'Research Lead', label: 'Finds sources' },
  { name: 'Writer', label: 'Writes reports' },
];

test('an @ offers agents, of which one is named where one writes, and nothing is sent by that', async () => {
  const { user, field } = await open({ mentions: MENTIONS });
  await user.type(field, 'Ask  for sources');
  await user.keyboard('{ArrowLeft>12/}@');
  const list = screen.getByRole('listbox', { name: 'Agents' });
  expect(within(list).getAllByRole('option')).toHaveLength(2);
  await user.keyboard('le{Enter}');
  expect(field.value).toBe('Ask @Research Lead  for sources');
  await user.keyboard('!');
  expect(field.value).toBe('Ask @Research Lead ! for sources');
  expect([sending.mock.calls.length, screen.queryByRole('listbox')]).toEqual([0, null]);
});

test('an agent that is chosen by its name leaves no name behind', async () => {
  const choose = jest.fn<() => void>();
  const { user, field } = await open({ mentions: [{ name: 'Writer', label: '', run: choose }] });
  await user.type(field, '@wr{Enter}a report');
  expect([choose.mock.calls.length, field.value]).toEqual([1, 'a report']);
});

test('an address is no name, and Escape leaves the list and the text', async () => {
  const { user, field } = await open({ mentions: MENTIONS });
  await user.type(field, 'ada@w');
  expect(screen.queryByRole('listbox')).toBeNull();
  await user.type(field, ' @w{Escape}');
  expect([screen.queryByRole('listbox'), field.value]).toEqual([null, 'ada@w @w']);
  await user.keyboard('{Enter}');
  expect(sending).toHaveBeenCalledTimes(1);
});
