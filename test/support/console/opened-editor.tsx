import { EditorView } from '@codemirror/view';
import { waitFor } from '@testing-library/react';

/** Returns the editor in a part of a page of a test, which is in a shadow root, once it was loaded. */
export async function editorIn(container: ParentNode): Promise<EditorView> {
  // What jsdom does not lay out.
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  return waitFor(() => {
    const content = container.querySelector('[data-editor]')?.shadowRoot?.querySelector<HTMLElement>('.cm-content');
    const view = content && EditorView.findFromDOM(content);
    if (view == null) throw new Error('There is no editor yet');
    return view;
  });
}
