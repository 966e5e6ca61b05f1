import temml from 'temml';
import 'temml/dist/Temml-Local.css';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useMarkdownText } from '../text.ts';
import { showInvisible } from '../visible.ts';
import { type FormulaProps, FormulaSource } from './formula-source.tsx';
import classes from './markdown.module.css';

/** A longer formula is shown as its source: a browser takes long to lay it out. */
const MAX_CHARACTERS = 2_000;

/** Macros that a formula defines for itself, which could grow without end. */
const DEFINES = /\\(?:[egx]?def|let|futurelet|global|(?:re)?newcommand|providecommand)(?![a-zA-Z])/;

/** Sizes that a formula may ask for, in em. */
const MAX_SIZE: [number, number] = [20, 20];

/** Shows a formula as MathML, or its source when it is none. */
export function SetFormula({ tex, isDisplayed }: FormulaProps): ReactNode {
  const { formula } = useMarkdownText();
  const element = useRef<HTMLSpanElement>(null);
  const [failed, setFailed] = useState<string>();
  useLayoutEffect(() => {
    if (element.current !== null && !setInto(element.current, tex, isDisplayed)) setFailed(tex);
  }, [tex, isDisplayed]);
  if (failed === tex) return <FormulaSource tex={tex} />;
  if (!isDisplayed) return <span ref={element} />;
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <span ref={element} role="group" aria-label={formula} tabIndex={0} className={classes['displayed']} />
  );
}

/** Returns whether a formula could be set. Of its elements none has a name or leads anywhere. */
function setInto(element: HTMLElement, tex: string, isDisplayed: boolean): boolean {
  if (tex.length > MAX_CHARACTERS || DEFINES.test(tex)) return false;
  try {
    temml.render(showInvisible(tex), element, { displayMode: isDisplayed, throwOnError: true, maxSize: MAX_SIZE });
  } catch {
    // No TeX, or deeper than the stack.
    return false;
  }
  for (const named of element.querySelectorAll('[id], [href]')) {
    named.removeAttribute('id');
    named.removeAttribute('href');
  }
  return true;
}
