import { beforeAll, describe, expect, test } from '@jest/globals';
import { EditorView } from '@codemirror/view';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { CodeEditor, type EditorProps } from './code-editor.tsx';
import { changeTo } from './editing.ts';
import { EditorField } from './editor.tsx';
import { JsonField } from './json-field.tsx';
import { SaveBlocks, useSaveBlocks } from '../form/save-blocks.ts';
import { readJson } from './json-text.ts';

beforeAll(() => {
  // What jsdom does not lay out.
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
});

/** Returns the editor of the page, which is in a shadow root. */
async function editorOf(container: HTMLElement): Promise<EditorView> {
  return waitFor(() => {
    const content = container.querySelector('[data-editor]')?.shadowRoot?.querySelector<HTMLElement>('.cm-content');
    const view = content && EditorView.findFromDOM(content);
    if (view == null) throw new Error('there is no editor yet');
    return view;
  });
}

const PROPS: EditorProps = { label: 'Prompt', value: 'You are kind.', language: 'plain' };

describe('an editor', () => {
  test('is named', async () => {
    const { container } = render(<CodeEditor {...PROPS} />);
    const { contentDOM } = await editorOf(container);
    expect(contentDOM.getAttribute('aria-label')).toBe('Prompt');
    expect(contentDOM.getAttribute('role')).toBe('textbox');
  });

  test.each([
    ['plain', false],
    ['markdown', false],
    ['json', false],
    ['javascript', true],
  ] as const)('of %s indents by Tab, and says how it is left by keys: %s', async (language, indents) => {
    const { container } = render(<CodeEditor {...PROPS} language={language} />);
    const view = await editorOf(container);
    act(() => void fireEvent.keyDown(view.contentDOM, { key: 'Tab', keyCode: 9 }));
    expect(view.state.doc.toString() !== PROPS.value).toBe(indents);
    expect(view.contentDOM.getAttribute('aria-description')?.includes('Escape') ?? false).toBe(indents);
  });

  test.each([
    ['markdown', true],
    ['javascript', false],
  ] as const)('of %s has each line run in the direction of its first letter: %s', async (language, isPerLine) => {
    const { container } = render(<CodeEditor {...PROPS} language={language} />);
    const { state } = await editorOf(container);
    expect(state.facet(EditorView.perLineTextDirection)).toBe(isPerLine);
  });

  test('tells what is typed, and not what it was given', async () => {
    const changes: string[] = [];
    const props = { ...PROPS, onValueChange: (text: string) => changes.push(text) };
    const { container, rerender } = render(<CodeEditor {...props} />);
    const view = await editorOf(container);
    act(() => view.dispatch({ changes: { from: 13, insert: ' And brief.' } }));
    rerender(<CodeEditor {...props} value="Something else" />);
    expect(view.state.doc.toString()).toBe('Something else');
    expect(changes).toEqual(['You are kind. And brief.']);
  });

  test('keeps the cursor at its word when the text is changed from outside', async () => {
    const { container, rerender } = render(<CodeEditor {...PROPS} />);
    const view = await editorOf(container);
    act(() => view.dispatch({ selection: { anchor: 8 } }));
    rerender(<CodeEditor {...PROPS} value="Today you are kind." />);
    expect(view.state.sliceDoc(view.state.selection.main.head)).toBe('kind.');
  });

  test('cannot be written in where it is for reading only', async () => {
    const { container } = render(<CodeEditor {...PROPS} isReadOnly />);
    const view = await editorOf(container);
    expect(view.state.readOnly).toBe(true);
    expect(view.contentDOM.getAttribute('aria-readonly')).toBe('true');
  });

  test('marks a fault at its line, also one beyond the text', async () => {
    const faults = [{ line: 99, message: 'is odd' }];
    const { container } = render(<CodeEditor {...PROPS} value={'one\ntwo'} faults={faults} />);
    const view = await editorOf(container);
    await waitFor(() => expect(view.contentDOM.querySelector('.cm-lintRange-error')?.textContent).toBe('two'));
    expect(view.contentDOM.getAttribute('aria-invalid')).toBe('true');
  });
});

test.each([
  ['abc', 'abc', undefined],
  ['abc', 'aXc', { from: 1, to: 2, insert: 'X' }],
  ['aa', 'aaa', { from: 2, to: 2, insert: 'a' }],
  ['', 'x', { from: 0, to: 0, insert: 'x' }],
])('only what differs between %j and %j is changed', (now, wanted, change) => {
  expect(changeTo(now, wanted)).toEqual(change);
});

test.each([
  ['{\n  "a": 1,\n  b: 2\n}', 3],
  ['{"a": 1', 1],
  ['', 1],
  ['[1, 2]\n]', 2],
])('the line from which on %j is not JSON is %d', (text, line) => {
  expect(readJson(text)).toMatchObject({ fault: { line } });
});

test('a JSON field tells values only, and keeps what is not JSON as it was typed', async () => {
  const changes: unknown[] = [];
  function Settings() {
    const [value, setValue] = useState<unknown>({ a: 1 });
    return (
      <JsonField
        label="Settings"
        name="settings"
        value={value}
        onValueChange={(next) => {
          changes.push(next);
          setValue(next);
        }}
      />
    );
  }
  const { container } = render(<Settings />);
  const view = await editorOf(container);
  const type = (text: string) =>
    act(() => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }));
  type('{"a": }');
  await screen.findByText('Line 1 is not JSON from here on.');
  type('{"a":   2}');
  await waitFor(() => expect(screen.queryByText('Line 1 is not JSON from here on.')).toBe(null));
  expect(view.state.doc.toString()).toBe('{"a":   2}');
  expect(changes).toEqual([{ a: 2 }]);
});

test('an editor is a field of a form, loaded when it is shown, with the label and hint of a field', async () => {
  const { container } = render(
    <EditorField name="prompt" label="Prompt" hint="For the model" value="Hello" language="plain" />,
  );
  const view = await editorOf(container);
  expect(view.state.doc.toString()).toBe('Hello');
  expect(screen.getByText('For the model').closest('[data-field]')?.getAttribute('data-field')).toBe('prompt');
});

test('a JSON field that may be empty tells that nothing is set', async () => {
  const changes: unknown[] = [];
  const { container } = render(
    <JsonField label="Extra" name="extra" value={{ a: 1 }} isOptional onValueChange={(value) => changes.push(value)} />,
  );
  const view = await editorOf(container);
  act(() => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: '' } }));
  expect(changes).toEqual([undefined]);
});

test('a JSON field tells its form of a text that is no value, and takes it back when the form discards', async () => {
  function Edited() {
    const blocks = useSaveBlocks();
    return (
      <SaveBlocks value={blocks.form}>
        <JsonField label="Settings" name="settings" value={{ a: 1 }} onValueChange={() => undefined} />
        <p>Unsaved: {blocks.typed.join()}</p>
        <button type="button" onClick={blocks.discard}>
          Discard
        </button>
      </SaveBlocks>
    );
  }
  const { container } = render(<Edited />);
  const view = await editorOf(container);
  const stored = view.state.doc.toString();
  act(() => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: '{' } }));
  await screen.findByText('Unsaved: settings');
  act(() => screen.getByText('Discard').click());
  await waitFor(() => expect(view.state.doc.toString()).toBe(stored));
  await screen.findByText('Unsaved:');
});
