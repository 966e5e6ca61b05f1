import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { type ChangeSpec, type Extension, type Text, type TransactionSpec, EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';

/**
 * Replaces a selection of several lines by what is typed. A browser that did so itself would join the lines with inline
 * styles, which the policy of the page refuses and reports.
 */
const replaceLines = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view;
    const { from, to } = state.selection.main;
    const isTyped = event.inputType === 'insertText' && event.data !== null;
    if (!isTyped || state.readOnly || state.doc.lineAt(from).to >= to) return false;
    view.dispatch(
      state.update(state.replaceSelection(event.data ?? ''), { userEvent: 'input.type', scrollIntoView: true }),
    );
    event.preventDefault();
    return true;
  },
});

/** Something that is wrong with a line. */
export interface Fault {
  /** From 1; one beyond the text is shown at its last line. */
  readonly line: number;
  readonly message: string;
}

/** What an editor of code has beside what one of prose has. */
export const codeParts: Extension = [
  lineNumbers(),
  lintGutter(),
  highlightActiveLineGutter(),
  bracketMatching(),
  indentOnInput(),
];

/** Has each line of prose run in the direction of its first letter. */
export const proseParts: Extension = [
  EditorView.perLineTextDirection.of(true),
  EditorView.theme({ '.cm-line': { unicodeBidi: 'plaintext' } }),
];

/** Has Tab indent; after Escape it leaves the editor, so that nobody is caught in it. */
export const indenting: Extension = keymap.of([indentWithTab]);

/** What all editors do. */
export const editing: Extension = [
  history(),
  search({ top: true }),
  highlightSelectionMatches(),
  indentUnit.of('  '),
  EditorView.lineWrapping,
  replaceLines,
  keymap.of([...searchKeymap, ...defaultKeymap, ...historyKeymap]),
];

/** Returns what makes the text of an editor another one: only what differs, so that the cursor stays at its words. */
export function changeTo(now: string, wanted: string): ChangeSpec | undefined {
  if (now === wanted) return undefined;
  const most = Math.min(now.length, wanted.length);
  let from = 0;
  while (from < most && now[from] === wanted[from]) from += 1;
  let same = 0;
  while (same < most - from && now[now.length - 1 - same] === wanted[wanted.length - 1 - same]) same += 1;
  return { from, to: now.length - same, insert: wanted.slice(from, wanted.length - same) };
}

/** Returns what marks the faults of a text at their lines. */
export function marksOf(state: EditorState, faults: readonly Fault[]): TransactionSpec {
  return setDiagnostics(
    state,
    faults.map((fault) => diagnosticOf(state.doc, fault)),
  );
}

function diagnosticOf(text: Text, { line, message }: Fault): Diagnostic {
  const { from, to } = text.line(Math.min(text.lines, Math.max(1, line)));
  return { from, to, message, severity: 'error' };
}

/** Returns what decides whether the text can be changed. */
export function readOnly(isReadOnly: boolean): Extension {
  return EditorState.readOnly.of(isReadOnly);
}

/** A language that an editor knows; plain text has no colours. */
export type EditorLanguage = 'markdown' | 'json' | 'javascript' | 'plain';

const LOADERS: Readonly<Record<EditorLanguage, () => Promise<Extension>>> = {
  markdown: async () => (await import('@codemirror/lang-markdown')).markdown(),
  json: async () => (await import('@codemirror/lang-json')).json(),
  javascript: async () => (await import('@codemirror/lang-javascript')).javascript(),
  plain: async () => Promise.resolve([]),
};

/** Loads what an editor knows of a language. */
export async function loadLanguage(language: EditorLanguage): Promise<Extension> {
  return LOADERS[language]();
}
