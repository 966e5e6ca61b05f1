import { expect, jest, test } from '@jest/globals';
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { Problem } from '../../core/http/problem.ts';
import { shortcuts, useShortcut } from '../../core/shortcuts.ts';
import { ActionButton, ConfirmButton, Dialog } from './dialog.tsx';
import { CopyOnce } from './copy-once.tsx';
import { ToastProvider, useToast } from './toast.tsx';

interface AskedProps {
  readonly onConfirm: () => Promise<void>;
  readonly typedName?: string;
}

function Asked(props: AskedProps) {
  return (
    <ToastProvider>
      <ConfirmButton
        {...props}
        question="Delete Main?"
        why="It does not come back."
        action="Delete"
        done="Main was deleted"
      >
        Open
      </ConfirmButton>
    </ToastProvider>
  );
}

test('a confirmed act is done once, and the window closes when it has worked', async () => {
  const user = userEvent.setup();
  const act = jest.fn(async () => Promise.resolve());
  render(<Asked onConfirm={act} />);
  await user.click(screen.getByRole('button', { name: 'Open' }));
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
  await screen.findByText('Main was deleted');
  await waitFor(() => expect(screen.queryByText('Delete Main?')).toBe(null));
  expect(act).toHaveBeenCalledTimes(1);
});

test('nothing is done before the name is typed, and what failed is said', async () => {
  const user = userEvent.setup();
  const act = jest.fn(async () => Promise.reject(new Problem(409, 'It is in use')));
  render(<Asked onConfirm={act} typedName="Main" />);
  await user.click(screen.getByRole('button', { name: 'Open' }));
  const name = await screen.findByLabelText('Type Main to go on');
  await user.type(name, 'Mai{Enter}');
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(act).not.toHaveBeenCalled();
  await user.type(name, 'n{Enter}');
  await screen.findByText('It is in use');
  expect(screen.getByRole('dialog')).toBeDefined();
});

test('the first field of a window has the focus when it opens', async () => {
  const user = userEvent.setup();
  render(<Asked onConfirm={async () => Promise.resolve()} typedName="Main" />);
  await user.click(screen.getByRole('button', { name: 'Open' }));
  const name = await screen.findByLabelText('Type Main to go on');
  await waitFor(() => expect(document.activeElement).toBe(name));
});

test('a secret is shown until it is said to be stored, and is then nowhere', async () => {
  const user = userEvent.setup();
  function Page() {
    const [secret, setSecret] = useState<string | undefined>('et_key_1');
    return <CopyOnce secret={secret} title="Key" description="For programs" onStored={() => setSecret(undefined)} />;
  }
  const { baseElement } = render(<Page />);
  await screen.findByText('et_key_1');
  await user.keyboard('{Escape}');
  expect(screen.getByText('et_key_1')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'I have copied it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
  expect(baseElement.innerHTML).not.toContain('et_key_1');
});

test('a message with Undo undoes, and goes', async () => {
  const user = userEvent.setup();
  const undo = jest.fn();
  function Page() {
    const toast = useToast();
    return (
      <button type="button" onClick={() => toast('Deleted', 'done', { label: 'Undo', run: undo })}>
        Delete
      </button>
    );
  }
  render(
    <ToastProvider>
      <Page />
    </ToastProvider>,
  );
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(undo).toHaveBeenCalledTimes(1);
  await waitFor(() => expect(screen.queryByText('Deleted')).toBe(null));
});

test('a button is busy until what it began has ended, and says why that failed', async () => {
  const user = userEvent.setup();
  const { promise, reject } = Promise.withResolvers<void>();
  render(
    <ToastProvider>
      <ActionButton action={async () => promise}>Run now</ActionButton>
    </ToastProvider>,
  );
  const button = screen.getByRole('button', { name: 'Run now' });
  await user.click(button);
  expect(button.getAttribute('aria-busy')).toBe('true');
  reject(new Problem(409, 'It runs already'));
  // Once for the eye, and once for screen readers.
  expect(await screen.findAllByText('It runs already')).toHaveLength(2);
  expect(button.getAttribute('aria-busy')).toBe(null);
});

test('a dialog hears the single keys of what is in it, and not those of the page behind', async () => {
  const ran: string[] = [];
  function Keys({ at }: { readonly at: string }) {
    useShortcut('j', at, () => ran.push(at));
    return null;
  }
  render(
    <>
      <Dialog open title="Run">
        <Keys at="dialog" />
        <button type="button">Next</button>
      </Dialog>
      <Keys at="page" />
    </>,
  );
  window.addEventListener('keydown', shortcuts.press);
  (await screen.findByRole('button', { name: 'Next' })).focus();
  await userEvent.keyboard('j');
  window.removeEventListener('keydown', shortcuts.press);
  expect(ran).toEqual(['dialog']);
});
