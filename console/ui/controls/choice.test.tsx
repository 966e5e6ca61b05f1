import { describe, expect, test } from '@jest/globals';
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { MultiChoiceField } from '../fields/fields.tsx';
import { type Choice, ChoiceField } from './choice.tsx';

const CHOICES: readonly Choice[] = [
  { value: 'code', label: 'Claude Code', reason: 'not on this server' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'claude', label: 'Claude at home' },
];
const field = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Provider' });

describe('ChoiceField', () => {
  function open() {
    const sent: string[] = [];
    function Page() {
      const [value, setValue] = useState<string | null>(null);
      return (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            sent.push(String(value));
          }}
        >
          <ChoiceField label="Provider" name="provider" choices={CHOICES} value={value} onValueChange={setValue} />
          <button type="submit">Save</button>
        </form>
      );
    }
    render(<Page />);
    return { user: userEvent.setup(), sent };
  }

  test('chooses what matches by Enter, which does not send the form', async () => {
    const { user, sent } = open();
    await user.type(field(), 'anthr{Enter}');
    await waitFor(() => expect(field().value).toBe('Anthropic'));
    expect(sent).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(sent).toEqual(['anthropic']);
  });

  test('passes over what matches and cannot be chosen', async () => {
    const { user } = open();
    await user.type(field(), 'claude{Enter}');
    await waitFor(() => expect(field().value).toBe('Claude at home'));
  });

  test('shows what was chosen again, and says so, when somebody leaves it in the middle of typing', async () => {
    const { user } = open();
    await user.type(field(), 'anthropic{Enter}');
    await user.clear(field());
    await user.type(field(), 'claude{Enter}');
    await user.type(field(), ' or so');
    await user.tab();
    await waitFor(() => expect(field().value).toBe('Claude at home'));
    await screen.findByText(/“Claude at home or so” was not chosen\./);
    await user.clear(field());
    await user.type(field(), 'anthropic{Enter}');
    await waitFor(() => expect(screen.queryByText(/was not chosen/)).toBe(null));
  });

  test('keeps the form, and says that nothing was chosen, on Enter where nothing matches', async () => {
    const { user, sent } = open();
    await user.type(field(), 'code at work{Enter}');
    await screen.findByText(/“code at work” was not chosen\./);
    await user.keyboard('{Enter}');
    await waitFor(() => expect(field().value).toBe(''));
    await user.keyboard('{Enter}');
    expect(sent).toEqual([]);
  });

  test('takes Escape for a change of mind that needs no words', async () => {
    const { user } = open();
    await user.type(field(), 'anthr{Escape}');
    await waitFor(() => expect(field().value).toBe(''));
    await user.tab();
    expect(screen.queryByText(/was not chosen/)).toBe(null);
  });
});

describe('MultiChoiceField', () => {
  function open() {
    const sent: (readonly string[])[] = [];
    function Page() {
      const [value, setValue] = useState<readonly string[]>([]);
      return (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            sent.push(value);
          }}
        >
          <MultiChoiceField label="Provider" name="provider" choices={CHOICES} value={value} onValueChange={setValue} />
          <button type="submit">Save</button>
        </form>
      );
    }
    render(<Page />);
    return { user: userEvent.setup(), sent };
  }

  test('keeps the form, and says that nothing was chosen, on Enter where nothing matches', async () => {
    const { user, sent } = open();
    await user.type(field(), 'anthr{Enter}');
    await user.type(field(), 'code at work{Enter}');
    await screen.findByText(/“code at work” was not chosen\./);
    await user.keyboard('{Enter}');
    await waitFor(() => expect(field().value).toBe(''));
    await user.keyboard('{Enter}');
    expect(sent).toEqual([]);
  });

  test('adds what matches by Enter, one after the other, and says what was typed and not chosen', async () => {
    const { user } = open();
    await user.type(field(), 'anthr{Enter}');
    await screen.findByRole('button', { name: 'Remove Anthropic' });
    await user.type(field(), 'claude{Enter}');
    await screen.findByRole('button', { name: 'Remove Claude at home' });
    await user.type(field(), 'nothing like it');
    await user.tab();
    await screen.findByText(/“nothing like it” was not chosen\./);
    await waitFor(() => expect(field().value).toBe(''));
  });
});
