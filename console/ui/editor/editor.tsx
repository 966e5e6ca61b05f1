import { lazy, type ReactNode, Suspense } from 'react';
import type { EditorProps } from './code-editor.tsx';
import classes from './editor.module.css';
import { editorText } from './text.ts';

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }));

/** An editor for text and code, loaded when it is first shown. */
export function Editor(props: EditorProps): ReactNode {
  const { size = 'small' } = props;
  return (
    <Suspense fallback={<output className={classes.editor} data-size={size} aria-label={editorText.loading} />}>
      <CodeEditor {...props} />
    </Suspense>
  );
}
