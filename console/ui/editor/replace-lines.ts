import { EditorView } from '@codemirror/view';

/**
 * Replaces a selection of several lines by what is typed. A browser that did so itself would join the lines with inline
 * styles, which the policy of the page refuses and reports.
 */
export const replaceLines = EditorView.domEventHandlers({
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
