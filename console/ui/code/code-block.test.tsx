import { afterEach, expect, jest, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { CodeBlock } from './code-block.tsx';

afterEach(() => {
  jest.restoreAllMocks();
});

test('copies code as it was written, and says so', async () => {
  const user = userEvent.setup();
  const write = jest.spyOn(navigator.clipboard, 'writeText');
  render(<CodeBlock code={'a\u200Bb'} language="" />);
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(write).toHaveBeenCalledWith('a\u200Bb');
  expect(await screen.findByText('Copied')).toBeTruthy();
});

test('shows the code to be copied by keys where a page may not copy', async () => {
  const user = userEvent.setup();
  jest.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as never);
  render(<CodeBlock code={'a\u200Bb'} language="" />);
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Copy this text with Ctrl+C or ⌘C' });
  expect([document.activeElement, field.value, field.selectionStart, field.selectionEnd]).toEqual([
    field,
    'a\u200Bb',
    0,
    3,
  ]);
  await user.tab();
  expect(screen.getByRole('button', { name: 'Copy' })).toBeTruthy();
});

test('says when it could not be copied', async () => {
  const user = userEvent.setup();
  jest.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('not allowed'));
  render(<CodeBlock code="a" language="js" />);
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(await screen.findByText('Could not copy')).toBeTruthy();
});
