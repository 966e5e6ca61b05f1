import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { type ReactNode, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { Problem } from '../../core/http/problem.ts';
import { Session } from '../../core/session/session.ts';
import { OrgProvider, SessionProvider } from '../../core/session/session-context.tsx';
import { shortcuts } from '../../core/shortcuts.ts';
import { Field, FieldFrame, TextAreaField } from '../fields/text-fields.tsx';
import { Form } from '../controls/form.tsx';
import { CheckboxField, MultiChoiceField, NumberField, SelectField, SwitchField } from '../fields/fields.tsx';
import { Confirm } from '../overlays/dialog.tsx';
import { ToastProvider } from '../overlays/toast.tsx';
import { useRecordDrafts } from './use-record.ts';
import { RecordForm, type SentRecord } from './record-form.tsx';
import { useDiscards, useSaveBlock } from './save-blocks.ts';

interface Robot {
  readonly name: string;
  readonly motto: string;
  readonly kind: 'arm' | 'leg';
  readonly active: boolean;
  readonly loud: boolean;
  readonly speed: number | null;
  readonly tools: readonly string[];
  readonly key: string;
}

const ROBOT: Robot = {
  name: 'Ada',
  motto: '',
  kind: 'arm',
  active: false,
  loud: false,
  speed: 2,
  tools: ['saw', 'gone'],
  key: '',
};
const TOOLS = [
  { value: 'saw', label: 'Saw' },
  { value: 'drill', label: 'Drill' },
  { value: 'laser', label: 'Laser', reason: 'not yours' },
];

const sessions: Session[] = [];
const server: { store: (robot: Robot) => void } = { store: () => undefined };
beforeAll(() => window.addEventListener('keydown', shortcuts.press));
afterEach(() => {
  jest.useRealTimers();
  for (const session of sessions.splice(0)) session.close();
  localStorage.clear();
});

type Submit = (sent: SentRecord<Robot>) => Promise<void>;

interface RobotFormProps {
  readonly onSubmit: Submit;
  /** What is shown within the form besides its fields. */
  readonly within?: ReactNode;
}

function RobotForm({ onSubmit, within }: RobotFormProps) {
  const [stored, setStored] = useState(ROBOT);
  useEffect(() => {
    server.store = setStored;
  }, []);
  return (
    <RecordForm
      draftKey="robot.1"
      stored={stored}
      secrets={['key']}
      onReload={() => setStored({ ...stored, name: 'Grace' })}
      onSubmit={async (sent) => {
        await onSubmit(sent);
        setStored((last) => ({ ...last, ...sent.changes }));
      }}
    >
      {({ field }) => (
        <>
          <Field label="Name" {...field('name')} required />
          <TextAreaField label="Motto" {...field('motto')} />
          <SelectField
            label="Kind"
            options={[
              { value: 'arm', label: 'Arm' },
              { value: 'leg', label: 'Leg' },
            ]}
            {...field('kind')}
          />
          <SwitchField label="Active" {...field('active')} />
          <CheckboxField label="Loud" {...field('loud')} />
          <NumberField label="Speed" unit="m/s" min={0} max={10} step={0.1} {...field('speed')} />
          <MultiChoiceField label="Tools" choices={TOOLS} {...field('tools')} />
          <Field label="Key" type="password" {...field('key')} />
          {within}
        </>
      )}
    </RecordForm>
  );
}

async function openForm(onSubmit: Submit, within?: ReactNode, orgId = 'one') {
  const session = new Session();
  sessions.push(session);
  const root = createRootRoute();
  const form = createRoute({
    getParentRoute: () => root,
    path: '/form',
    component: () => <RobotForm onSubmit={onSubmit} within={within} />,
  });
  const other = createRoute({ getParentRoute: () => root, path: '/other', component: () => <p>Elsewhere</p> });
  const history = createMemoryHistory({ initialEntries: ['/form'] });
  const router = createRouter({ routeTree: root.addChildren([form, other]), history });
  const shown = render(
    <SessionProvider session={session}>
      <OrgProvider orgId={orgId}>
        <ToastProvider>
          <RouterProvider router={router as never} />
        </ToastProvider>
      </OrgProvider>
    </SessionProvider>,
  );
  await screen.findByLabelText('Name');
  return { ...shown, user: userEvent.setup(), go: async () => router.navigate({ to: '/other' as never }) };
}

/** Holds what was sent. */
function collect(answers: readonly (Problem | undefined)[] = []) {
  const sent: SentRecord<Robot>[] = [];
  const submit: Submit = async (record) => {
    const answer = answers[sent.length];
    sent.push(record);
    if (answer !== undefined) throw answer;
  };
  return { sent, submit };
}

const save = () => screen.getByRole('button', { name: 'Save' });

test('only what was changed is sent, each value of its kind', async () => {
  const { sent, submit } = collect();
  const { user } = await openForm(submit);
  expect(save().getAttribute('aria-disabled')).toBe('true');
  await user.type(screen.getByLabelText('Motto'), 'Go');
  await user.click(screen.getByRole('combobox', { name: 'Kind' }));
  await user.click(await screen.findByRole('option', { name: 'Leg' }));
  await user.click(screen.getByText('Active'));
  await user.click(screen.getByRole('checkbox', { name: 'Loud' }));
  await user.clear(screen.getByLabelText('Speed'));
  await user.type(screen.getByLabelText('Speed'), '7.5');
  await user.type(screen.getByRole('combobox', { name: 'Tools' }), 'dri');
  await user.click(await screen.findByRole('option', { name: 'Drill' }));
  await user.click(screen.getByRole('button', { name: 'Remove gone' }));
  expect(screen.getAllByText('Not saved yet')).toHaveLength(6);
  await user.click(save());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.changes).toEqual({
    motto: 'Go',
    kind: 'leg',
    active: true,
    loud: true,
    speed: 7.5,
    tools: ['saw', 'drill'],
  });
  await waitFor(() => expect(screen.queryByText('Not saved yet')).toBe(null));
});

test('what is changed back is no change', async () => {
  const { user } = await openForm(collect().submit);
  await user.type(screen.getByLabelText('Name'), '!');
  expect(screen.getByText('Unsaved changes')).toBeDefined();
  await user.type(screen.getByLabelText('Name'), '{Backspace}');
  expect(screen.queryByText('Unsaved changes')).toBe(null);
});

test('Ctrl+S saves from within a field', async () => {
  const { sent, submit } = collect();
  const { user } = await openForm(submit);
  await user.type(screen.getByLabelText('Motto'), 'Go');
  await user.keyboard('{Control>}s{/Control}');
  await waitFor(() => expect(sent.map(({ changes }) => changes)).toEqual([{ motto: 'Go' }]));
});

test('Ctrl+S saves the form that has the focus, and none behind a dialog', async () => {
  const saved: string[] = [];
  const other = (name: string) => (
    <RecordForm
      draftKey={name}
      stored={{ name }}
      isNew
      submitLabel={`Save ${name}`}
      onSubmit={async () => void saved.push(name)}
    >
      {({ field }) => <Field label={name} {...field('name')} />}
    </RecordForm>
  );
  const { sent, submit } = collect();
  const { user } = await openForm(
    submit,
    createPortal(
      <>
        {other('first')}
        {other('second')}
        <dialog open>
          <button type="button">Close</button>
        </dialog>
      </>,
      document.body,
    ),
  );
  for (const name of ['first', 'second']) {
    await user.click(screen.getByLabelText(name));
    await user.keyboard('{Control>}s{/Control}');
  }
  await waitFor(() => expect(saved).toEqual(['first', 'second']));
  await user.click(screen.getByText('Close'));
  await user.keyboard('{Control>}s{/Control}');
  expect(saved).toEqual(['first', 'second']);
  expect(sent).toEqual([]);
});

test('a 422 about an entry of a list is said at its field, which gets the focus', async () => {
  const refusal = new Problem(422, 'no', { fields: { 'tools.1': 'is unknown' } });
  const { user } = await openForm(collect([refusal]).submit);
  await user.type(screen.getByLabelText('Motto'), 'Go');
  await user.click(save());
  await screen.findByText('1: is unknown');
  const tools = screen.getByRole('combobox', { name: 'Tools' });
  await waitFor(() => expect(tools.closest('[data-field]')?.contains(document.activeElement)).toBe(true));
  expect(tools.getAttribute('aria-invalid')).toBe('true');
});

test('a draft is kept until it is saved, without its secrets', async () => {
  const { unmount, user } = await openForm(collect().submit);
  await user.type(screen.getByLabelText('Motto'), 'Kept');
  await user.type(screen.getByLabelText('Key'), 'sk-secret');
  unmount();
  expect(JSON.stringify(localStorage)).not.toContain('sk-secret');
  const { user: again } = await openForm(collect().submit);
  expect(screen.getByLabelText<HTMLTextAreaElement>('Motto').value).toBe('Kept');
  expect(screen.getByLabelText<HTMLInputElement>('Key').value).toBe('');
  await again.click(save());
  await waitFor(() => expect(save().getAttribute('aria-disabled')).toBe('true'));
  await waitFor(() => expect(localStorage).toHaveLength(0));
});

test('what was typed in one organization does not appear in another', async () => {
  const { unmount, user } = await openForm(collect().submit);
  await user.type(screen.getByLabelText('Motto'), 'Of one');
  unmount();
  const other = await openForm(collect().submit, undefined, 'other');
  expect(screen.getByLabelText<HTMLTextAreaElement>('Motto').value).toBe('');
  other.unmount();
  await openForm(collect().submit);
  expect(screen.getByLabelText<HTMLTextAreaElement>('Motto').value).toBe('Of one');
});

test.each(['before', 'while'])(
  'no draft is left of what was stored when the form goes away %s that is noted',
  async (when) => {
    const { promise: stored, resolve: store } = Promise.withResolvers<void>();
    const { go, user } = await openForm(async () => stored);
    await user.type(screen.getByLabelText('Motto'), 'Stored');
    await user.click(save());
    await waitFor(() => expect(save().getAttribute('aria-busy')).toBe('true'));
    void go();
    if (when === 'while') store();
    await screen.findByText('Elsewhere');
    store();
    await waitFor(() => expect(localStorage).toHaveLength(0));
  },
);

test('leaving asks, and keeps the draft or discards it', async () => {
  const { go, user } = await openForm(collect().submit);
  await user.type(screen.getByLabelText('Motto'), 'Kept');
  void go();
  await user.click(await screen.findByRole('button', { name: 'Stay' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
  expect(screen.getByLabelText<HTMLTextAreaElement>('Motto').value).toBe('Kept');
  void go();
  await user.click(await screen.findByRole('button', { name: 'Discard and leave' }));
  await screen.findByText('Elsewhere');
  expect(localStorage).toHaveLength(0);
});

test('what somebody else has stored is followed where nothing was changed, and shown where something was', async () => {
  const { sent, submit } = collect();
  const { user } = await openForm(submit);
  await user.type(screen.getByLabelText('Name'), ' II');
  act(() => {
    server.store({ ...ROBOT, name: 'Eve', motto: 'Theirs' });
  });
  await screen.findByText('Changed by somebody else to: Eve');
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Ada II');
  expect(screen.getByLabelText<HTMLTextAreaElement>('Motto').value).toBe('Theirs');
  await user.click(screen.getByRole('button', { name: 'Take it' }));
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Eve');
  expect(sent).toEqual([]);
});

test('what somebody else has stored, and was read by itself, is overwritten only on demand', async () => {
  const { sent, submit } = collect();
  const { user } = await openForm(submit);
  await user.type(screen.getByLabelText('Name'), ' II');
  act(() => {
    server.store({ ...ROBOT, name: 'Eve' });
  });
  await screen.findByText('Changed by somebody else to: Eve');
  await user.click(save());
  await screen.findByText('Somebody else has changed this in the meantime.');
  expect(sent).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Overwrite with mine' }));
  await waitFor(() => expect(sent.map(({ overwrite }) => overwrite)).toEqual([true]));
  await waitFor(() => expect(screen.queryByText('Somebody else has changed this in the meantime.')).toBe(null));
});

test('a version that was compared before the changes were discarded counts for none of the next', async () => {
  const { sent, submit } = collect([new Problem(412, 'outdated')]);
  const { user } = await openForm(submit);
  await user.type(screen.getByLabelText('Name'), ' II');
  await user.click(save());
  await user.click(await screen.findByRole('button', { name: 'Show what is stored' }));
  await user.click(screen.getByRole('button', { name: 'Discard changes' }));
  await user.type(screen.getByLabelText('Name'), ' III');
  act(() => {
    server.store({ ...ROBOT, name: 'Eve' });
  });
  await screen.findByText('Changed by somebody else to: Eve');
  await user.click(save());
  await screen.findByText('Somebody else has changed this in the meantime.');
  expect(sent).toHaveLength(1);
});

test('a record that was changed meanwhile is read again, or overwritten', async () => {
  const outdated = new Problem(412, 'outdated');
  const { sent, submit } = collect([outdated, outdated]);
  const { user } = await openForm(submit);
  await user.type(screen.getByLabelText('Name'), ' II');
  await user.click(save());
  await screen.findByText('Somebody else has changed this in the meantime.');
  await user.click(screen.getByRole('button', { name: 'Show what is stored' }));
  await screen.findByText('Changed by somebody else to: Grace');
  await user.click(save());
  await user.click(await screen.findByRole('button', { name: 'Overwrite with mine' }));
  await waitFor(() => expect(sent.map(({ overwrite }) => overwrite)).toEqual([false, false, true]));
  await waitFor(() => expect(screen.queryByText('Unsaved changes')).toBe(null));
});

test('what is typed while it is sent is not lost', async () => {
  let finish = () => undefined as void;
  const { user } = await openForm(async () => new Promise<void>((resolve) => (finish = resolve)));
  await user.type(screen.getByLabelText('Motto'), 'one');
  await user.click(save());
  fireEvent.change(screen.getByLabelText('Motto'), { target: { value: 'one two' } });
  finish();
  await waitFor(() => expect(save().getAttribute('aria-busy')).toBe(null));
  expect(screen.getByLabelText<HTMLTextAreaElement>('Motto').value).toBe('one two');
  expect(screen.getByText('Unsaved changes')).toBeDefined();
});

test.each(['typed', 'discarded'])(
  'what was refused for now is not sent again by itself once others are %s',
  async (how) => {
    const refused = new Problem(429, 'Too many', { retryAfterSeconds: 0.2 });
    const { sent, submit } = collect([refused]);
    let refuse = () => undefined as void;
    const { user } = await openForm(async (record) => {
      await new Promise<void>((resolve) => (refuse = resolve));
      await submit(record);
    });
    await user.type(screen.getByLabelText('Motto'), 'one');
    await user.click(save());
    if (how === 'typed') fireEvent.change(screen.getByLabelText('Motto'), { target: { value: 'one two' } });
    else await user.click(screen.getByRole('button', { name: 'Discard changes' }));
    jest.useFakeTimers();
    act(() => refuse());
    await screen.findByText('Too many');
    expect(screen.queryByText(/^Sending again/)).toBe(null);
    await act(async () => jest.advanceTimersByTimeAsync(400));
    expect([sent.length, save().getAttribute('aria-busy')]).toEqual([1, null]);
  },
);

test('a short form is not sent again by itself once it was changed while it was under way', async () => {
  const sent: string[] = [];
  let refuse = () => undefined as void;
  render(
    <Form
      submitLabel="Send"
      onSubmit={async ({ name = '' }) => {
        sent.push(name);
        await new Promise<void>((resolve) => (refuse = resolve));
        throw new Problem(429, 'Too many', { retryAfterSeconds: 0.2 });
      }}
    >
      <Field label="Name" name="name" />
    </Form>,
  );
  const user = userEvent.setup();
  await user.type(screen.getByLabelText('Name'), 'Ada{Enter}');
  await user.type(screen.getByLabelText('Name'), ' II');
  jest.useFakeTimers();
  act(() => refuse());
  await screen.findByText('Too many');
  await act(async () => jest.advanceTimersByTimeAsync(400));
  expect(sent).toEqual(['Ada']);
});

test('what is submitted in a dialog that was opened from within does not save the record', async () => {
  const { sent, submit } = collect();
  const done: string[] = [];
  const { user } = await openForm(
    submit,
    <>
      <Confirm
        open
        onClose={() => undefined}
        title="Scrap it?"
        description=""
        action="Scrap"
        onConfirm={async () => void done.push('scrapped')}
      />
      {createPortal(
        <Form submitLabel="Rename" onSubmit={async () => void done.push('renamed')}>
          {null}
        </Form>,
        document.body,
      )}
      {createPortal(<form data-testid="foreign" onSubmit={() => done.push('foreign')} />, document.body)}
    </>,
  );
  fireEvent.change(screen.getByLabelText('Motto'), { target: { value: 'Go' } });
  await user.click(screen.getByRole('button', { name: 'Scrap' }));
  fireEvent.submit(screen.getByText('Rename').closest('form') as HTMLFormElement);
  fireEvent.submit(screen.getByTestId('foreign'));
  await waitFor(() => expect(done).toEqual(['scrapped', 'renamed', 'foreign']));
  expect(sent).toEqual([]);
});

test('a text that says no value is unsaved, asks before it is left, and goes with the changes', async () => {
  function Formula() {
    const discards = useDiscards();
    const [typed, setTyped] = useState({ text: '', discards });
    const text = typed.discards === discards ? typed.text : '';
    useSaveBlock('formula', text === '' ? undefined : 'Formula: is odd', text !== '');
    return (
      <FieldFrame label="Formula" name="formula">
        <input
          aria-label="Formula"
          value={text}
          onChange={({ target }) => setTyped({ text: target.value, discards })}
        />
      </FieldFrame>
    );
  }
  const { go, user } = await openForm(collect().submit, <Formula />);
  const formula = screen.getByLabelText<HTMLInputElement>('Formula');
  await user.type(formula, '1 +');
  expect(screen.getByText('Not saved yet')).toBeDefined();
  void go();
  await screen.findByText(/no text that is not valid yet/);
  await user.click(screen.getByRole('button', { name: 'Stay' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
  expect(formula.value).toBe('1 +');
  await user.click(screen.getByRole('button', { name: 'Discard changes' }));
  expect(formula.value).toBe('');
  expect(screen.queryByText('Not saved yet')).toBe(null);
  void go();
  await screen.findByText('Elsewhere');
});

test('a record that was deleted is left without a question, and leaves no draft', async () => {
  function Deleted() {
    const { forget } = useRecordDrafts();
    return (
      <button type="button" onClick={() => forget('robot.1')}>
        Forget
      </button>
    );
  }
  const { go, user } = await openForm(collect().submit, <Deleted />);
  await user.type(screen.getByLabelText('Motto'), 'Gone');
  await waitFor(() => expect(localStorage).toHaveLength(1));
  await user.click(screen.getByRole('button', { name: 'Forget' }));
  expect(localStorage).toHaveLength(0);
  void go();
  await screen.findByText('Elsewhere');
  expect(localStorage).toHaveLength(0);
});
